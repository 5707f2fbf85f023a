// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The stable names of enumerators in files.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/stats/metric.h"
#include "common/stats/sample.h"

namespace futex_bench {

inline constexpr std::array<std::pair<TrialStatus, std::string_view>, 4> kStatusNames = {{
    {TrialStatus::kOk, "ok"},
    {TrialStatus::kNotDrained, "not_drained"},
    {TrialStatus::kCutShort, "cut_short"},
    {TrialStatus::kFailed, "failed"},
}};

inline constexpr std::array<std::pair<Direction, std::string_view>, 3> kDirectionNames = {{
    {Direction::kHigherIsBetter, "higher_is_better"},
    {Direction::kLowerIsBetter, "lower_is_better"},
    {Direction::kNeutral, "neutral"},
}};

/// The name of an enumerator that is in the table.
template <class Table, class Enum>
constexpr std::string_view name_in(const Table& table, Enum value) {
  for (const auto& [enumerator, name] : table) {
    if (enumerator == value) return name;
  }
  return "";
}

constexpr std::string_view status_name(TrialStatus status) { return name_in(kStatusNames, status); }

constexpr std::string_view direction_name(Direction direction) {
  return name_in(kDirectionNames, direction);
}

}  // namespace futex_bench
