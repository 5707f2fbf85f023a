// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The locks that the model tests run, and the bounds they run them with.
#pragma once

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "common/locks/all.h"
#include "tests/model/lock_check.h"

namespace futex_bench::model {

/// Calls visit.template operator()<L>() for each lock of the catalogue.
template <class Visitor, class... Ls>
void visit_locks(LockList<Ls...>, Visitor visit) {
  (visit.template operator()<Ls>(), ...);
}
template <class Visitor>
void for_each_lock(Visitor visit) {
  visit_locks(ModelledLocks<Platform>{}, visit);
}

/// A whole number from the environment, or the default where the variable is not set. Throws
/// std::invalid_argument if it is set to anything else.
inline std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const char* const end = text + std::strlen(text);
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || text == end) {
    throw std::invalid_argument(std::string(name) + ": '" + text + "' is not a whole number");
  }
  return value;
}

}  // namespace futex_bench::model
