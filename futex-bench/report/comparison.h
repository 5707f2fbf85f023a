// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The modes of one run side by side, as data. Rounds interleave all points, so trials of the same
/// round saw the same machine: modes are compared by the ratios within rounds, and the p-values of
/// all comparisons shown are adjusted together (S. Holm, "A Simple Sequentially Rejective Multiple
/// Test Procedure", 1979).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stats/metric.h"
#include "common/stats/order_statistics.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// The chance of calling anything in a table different if nothing is.
inline constexpr double kComparisonAlpha = 0.05;

/// What was shown about a mode, compared with the first one.
enum class Difference : std::uint8_t {
  kNoData,    ///< nothing to compare: a point is missing, skipped, or shares no good round
  kNotShown,  ///< no difference shown, which is not the same as shown to be equal
  kFaster,    ///< better in the metric's direction
  kSlower,
  kHigher,  ///< for metrics that have no better direction
  kLower,
};

/// "faster", "no difference shown"; empty for kNoData.
std::string_view difference_words(Difference difference);

/// One mode at one row.
struct ComparisonCell {
  const PointSamples* point = nullptr;  ///< into the RunResult; null if the run has no such point
  Summary summary{};                    ///< of the metric; count 0 without a point
  std::optional<RatioEstimate> ratio;   ///< to the first mode, with its own 95 % interval
  double p_adjusted = 1;                ///< ratio->p_value after Holm over the whole table
  Difference difference = Difference::kNoData;
};

/// All modes under equal conditions.
struct ComparisonRow {
  unsigned threads = 0;
  Parameters parameters;
  std::vector<ComparisonCell> cells;  ///< one per mode
};

/// The whole table.
struct Comparison {
  Metric metric;                   ///< the first one of the benchmark
  std::vector<std::string> modes;  ///< the first one is what the others are compared with
  std::vector<ComparisonRow> rows;
  std::size_t tests = 0;          ///< ratios in the table
  std::size_t rounds = 0;         ///< most rounds that any ratio rests on
  std::size_t rounds_needed = 0;  ///< fewest with which anything could be shown over `tests` tests

  /// False if no outcome of this run could have shown a difference.
  bool can_show() const { return rounds >= rounds_needed; }
};

/// Compares the modes of a run; nothing if it has fewer than two. A parameter that not all points
/// have (a bound that one mode alone understands) does not keep rows apart but becomes part of the
/// mode's name where the name alone would be ambiguous. Ratios use rounds in which both trials have
/// a value above 0. The result points into `result`.
std::optional<Comparison> compare_modes(const RunResult& result);

}  // namespace futex_bench
