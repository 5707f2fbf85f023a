// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Result files set against each other, as data. The trials of two files are not pairs, so points
/// are compared by the exact Mann-Whitney test and the Hodges-Lehmann ratio (mann_whitney.h), and
/// the p-values of all rows of all files are adjusted together (Holm).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/stats/mann_whitney.h"
#include "common/stats/metric.h"
#include "common/stats/order_statistics.h"
#include "futex-bench/report/comparison.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// With this many undisturbed trials the disturbed ones of a point are left out: the fewest for
/// which a 95 % interval of the median exists.
inline constexpr std::size_t kEnoughUndisturbed = 6;

/// A result and what to call it.
struct ResultFile {
  std::string name;
  RunResult result;
};

/// What is asked of a comparison.
struct FileComparisonOptions {
  std::string metric;  ///< empty: the first one of the base
  /// A shown change to the worse by more than this many percent is a regression.
  std::optional<double> fail_above;
};

/// The trials of one point in one file that are compared.
struct ComparedTrials {
  const PointSamples* point = nullptr;  ///< into the RunResult
  std::vector<double> values;           ///< in order of rounds
  Summary summary{};                    ///< of these values
  std::size_t failed = 0;               ///< rounds without a value
  std::size_t disturbed = 0;            ///< rounds with a value, but a disturbed one
  bool disturbed_left_out = false;      ///< those are not among the values
};

/// One point that both files have.
struct FileComparisonRow {
  ComparedTrials base;
  ComparedTrials changed;
  ShiftEstimate shift{};     ///< changed / base; ratio is NaN if a value is not above 0
  double p_adjusted = 1;     ///< shift.p_value after Holm over all rows of all files
  double detectable = 0;     ///< factor >= 1 that would have been shown; NaN if none would
  double worse_percent = 0;  ///< change to the worse, infinite from 0 on; negative: to the better
  Difference difference = Difference::kNoData;
  bool beyond_limit = false;  ///< shown to be worse, and by more than fail_above
  std::string reason;         ///< why there is nothing to compare, if so
};

/// One file against the base.
struct FileComparison {
  const ResultFile* changed = nullptr;
  std::vector<FileComparisonRow> rows;  ///< in the order of the base
  std::vector<const PointSamples*> only_in_base;
  std::vector<const PointSamples*> only_in_changed;
  std::vector<Warning> warnings;  ///< what else differs between the two runs
};

/// All files against the base. Points into the files.
struct FileComparisons {
  const ResultFile* base = nullptr;
  Metric metric;
  std::optional<double> fail_above;
  std::vector<FileComparison> files;
  std::size_t tests = 0;  ///< rows with values on both sides
  /// Trials on each side with which any difference could be shown over that many tests.
  std::size_t trials_needed = 0;
  bool can_show = true;          ///< some row has as many trials as it takes
  std::size_t regressions = 0;   ///< rows beyond the limit
  std::size_t without_data = 0;  ///< rows that have values in one of the two files only
};

/// Compares each of `changed` with `base`; both must outlive the result. Points match if their keys
/// are equal. Of a round that was measured more than once one trial counts (counted_trials()).
///
/// Throws UsageError, one line, if a file is of another benchmark, lacks the metric or has it with
/// another unit or direction, shares no point with the base, or if the limit has no meaning for the
/// metric: it has no better direction, or cannot get worse by as much.
FileComparisons compare_files(const ResultFile& base, const std::vector<ResultFile>& changed,
                              const FileComparisonOptions& options);

}  // namespace futex_bench
