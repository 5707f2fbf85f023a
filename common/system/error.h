// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// How set-up code reports failure. Hot paths never throw.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace futex_bench {

/// Something the user typed cannot be done: one line, exit status 2, nothing started.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws std::system_error for the current errno; `operation` says in words what was tried.
[[noreturn]] inline void throw_errno(std::string_view operation) {
  throw std::system_error(errno, std::generic_category(), std::string(operation));
}

/// Throws std::system_error if `code`, the return value of a pthread function, is not 0. Those
/// functions return the error instead of setting errno.
inline void check_pthread(int code, std::string_view operation) {
  if (code != 0) throw std::system_error(code, std::generic_category(), std::string(operation));
}

/// "ENOSYS"; "errno 524" for one that the C library has no name for.
inline std::string errno_name(int code) {
  const char* const name = strerrorname_np(code);
  return name != nullptr ? name : "errno " + std::to_string(code);
}

/// "SIGKILL"; "signal 34" for one that has no name, such as the real-time signals.
inline std::string signal_name(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace futex_bench
