// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Options as data: a benchmark lists what it understands and where the checked value goes; cli/
/// parses. So no benchmark ever sees text, and help, man page and completion read the same list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/system/placement.h"
#include "common/system/schedule.h"

namespace futex_bench {

/// A switch without a value.
struct FlagTarget {
  bool* target;
};

/// A whole number within [min, max].
struct CountTarget {
  std::optional<std::uint64_t>* target;
  std::uint64_t min;
  std::uint64_t max;
  std::string_view prefix = {};  ///< may stand before it and changes nothing: the "1/" of "1/64"
};

/// A decimal number within [min, max], for seconds and percentages. Never NaN or infinite.
struct RealTarget {
  std::optional<double>* target;
  double min;
  double max;
};

/// Whole numbers within [min, max], separated by commas, in the order given. The same number twice is
/// an error unless `duplicates`.
struct CountListTarget {
  std::vector<std::uint64_t>* target;
  std::uint64_t min;
  std::uint64_t max;
  bool duplicates = false;
};

/// Decimal numbers within [min, max], separated by commas, in the order given, none twice.
struct RealListTarget {
  std::vector<double>* target;
  double min;
  double max;
};

/// A list of thread counts in the range grammar, ascending, without duplicates.
struct ThreadsTarget {
  std::vector<unsigned>* target;
};

/// One or more names out of `allowed`, comma-separated, or "all", in the order given. Duplicates
/// are an error.
struct NamesTarget {
  std::vector<std::string>* target;
  std::vector<std::string> allowed;
};

/// Exactly one name out of `allowed`.
struct ChoiceTarget {
  std::string* target;
  std::vector<std::string> allowed;
};

/// none | compact | scatter | node=N | cpus=LIST.
struct PlacementTarget {
  PlacementSpec* target;
};

/// A scheduling policy, as parse_scheduling_policy() reads it.
struct PolicyTarget {
  SchedulingPolicy* target;
};

/// A time to sleep.
struct SleepTime {
  std::uint64_t us = 0;  ///< microseconds
  bool random = false;   ///< each time another one from 1 to `us`, all equally likely
};

/// Times of 0 to max_us microseconds in the range grammar, in the order given; or random:N, N from 1
/// to max_us.
struct SleepTarget {
  std::vector<SleepTime>* target;
  std::uint64_t max_us;
};

/// Free text, not empty.
struct TextTarget {
  std::string* target;
};

/// One or more KEY=VALUE texts; the option may be repeated.
struct TagsTarget {
  std::vector<std::pair<std::string, std::string>>* target;
};

using OptionTarget =
    std::variant<FlagTarget, CountTarget, RealTarget, CountListTarget, RealListTarget,
                 ThreadsTarget, NamesTarget, ChoiceTarget, PlacementTarget, PolicyTarget,
                 SleepTarget, TextTarget, TagsTarget>;

/// One option of a command. The target keeps its value if the option is not given, so it holds the
/// default beforehand.
struct Option {
  std::string name;        ///< "--threads"
  std::string value_name;  ///< "SPEC"; empty for a flag
  std::string help;        ///< one or two sentences with units, range and default
  OptionTarget target;
};

}  // namespace futex_bench
