// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Typed raw futex(2) system calls. glibc has no wrapper for them. Source: man 2 futex,
/// kernel/futex/syscalls.c.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace futex_bench {

/// The word a futex works on. It must have the size and representation of the kernel's u32.
using FutexWord = std::atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

/// Who may use the futex: threads of one process (hashed by address, cheaper), or every process
/// that maps the page.
enum class FutexScope : std::uint8_t { kPrivate, kShared };

/// Why a wait returned. Every value but kTimedOut means the same to a lock: look at the word again,
/// because a wake can also be spurious (meant for an earlier user of the address).
enum class WaitResult : std::uint8_t { kWoken, kValueChanged, kInterrupted, kTimedOut };

/// As many waiters as there are.
inline constexpr int kWakeAll = INT_MAX;

/// Ends the process: the kernel returned an error that a correct caller cannot get. Locks are
/// noexcept and have nobody to report to, so the trial ends and its parent tells the user.
[[noreturn, gnu::cold, gnu::noinline]] inline void futex_panic(const char* operation,
                                                               const void* address) noexcept {
  std::fprintf(stderr, "futex-bench: %s on %p: %s\n", operation, address, strerrorname_np(errno));
  std::abort();
}

/// Returns FUTEX_PRIVATE_FLAG or 0, to be or-ed into an operation.
constexpr int futex_flag(FutexScope scope) noexcept {
  return scope == FutexScope::kPrivate ? FUTEX_PRIVATE_FLAG : 0;
}

/// Sleeps while `word` holds `expected` (FUTEX_WAIT). `timeout` is relative, CLOCK_MONOTONIC;
/// nullptr waits for ever.
inline WaitResult futex_wait(const FutexWord& word, std::uint32_t expected, FutexScope scope,
                             const timespec* timeout = nullptr) noexcept {
  const long result =
      syscall(SYS_futex, &word, FUTEX_WAIT | futex_flag(scope), expected, timeout, nullptr, 0);
  if (result == 0) return WaitResult::kWoken;
  if (errno == EAGAIN) return WaitResult::kValueChanged;
  if (errno == EINTR) return WaitResult::kInterrupted;
  if (errno == ETIMEDOUT && timeout != nullptr) return WaitResult::kTimedOut;
  futex_panic("FUTEX_WAIT", &word);
}

/// Wakes up to `count` waiters (FUTEX_WAKE); returns how many. Takes an address, not a reference:
/// the object there may be gone by now. That costs at most a spurious wake of a later user, and
/// EFAULT, if the page has been unmapped, is as good as nobody waiting.
inline int futex_wake(const FutexWord* address, int count, FutexScope scope) noexcept {
  const long result =
      syscall(SYS_futex, address, FUTEX_WAKE | futex_flag(scope), count, nullptr, nullptr, 0);
  if (result >= 0) return static_cast<int>(result);
  if (errno == EFAULT) return 0;
  futex_panic("FUTEX_WAKE", address);
}

}  // namespace futex_bench
