// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a benchmark measures, in words a reporter and a comparison can use.
#pragma once

#include <cstdint>
#include <string>

namespace futex_bench {

/// Which way is better.
enum class Direction : std::uint8_t { kHigherIsBetter, kLowerIsBetter, kNeutral };

/// One measured quantity of a benchmark. A benchmark has a constant list of them; the first is the
/// one that tables show and comparisons judge.
struct Metric {
  std::string name;  ///< stable key in JSON and CSV, snake_case with no unit in it
  std::string unit;  ///< "Kiter/s", "s", "us"; "1" for a ratio or a plain count
  Direction direction = Direction::kNeutral;
  std::string description;  ///< one sentence for the schema documentation
};

}  // namespace futex_bench
