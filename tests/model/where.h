// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// std::source_location, which clang 14 lacks.
#pragma once

#include <cstdint>

namespace futex_bench::model {

/// A place in a source file. `Where where = Where::current()` as the last parameter of a function
/// is the place of its call. Without a column (g++), operations of one line count as one place.
struct Where {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;

#if defined(__clang__)
  static constexpr Where current(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE(),
                                 std::uint32_t column = __builtin_COLUMN()) noexcept {
    return {file, line, column};
  }
#else
  static constexpr Where current(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE()) noexcept {
    return {file, line, 0};
  }
#endif
  bool operator==(const Where&) const = default;
};

}  // namespace futex_bench::model
