// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A comparison of result files in words and tables, and the formats in which it is printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futex-bench/report/file_comparison.h"
#include "futex-bench/report/render_options.h"
#include "futex-bench/report/table.h"

namespace futex_bench {

/// "no difference shown (3.1% or more would have been)", "slower, beyond the limit"; what is
/// missing if there is nothing to compare.
std::string row_words(const FileComparisonRow& row);

/// One row per point that both files have: its key, both medians, ratio [95 % interval], words.
Table file_comparison_table(const FileComparison& comparison);

/// What must be said of the trials of single points: how many failed or were disturbed, and whether
/// the disturbed ones were left out.
std::vector<std::string> trial_notes(const FileComparison& comparison);

/// "Only in a.json: wait, 4 threads" for every point that has no partner.
std::vector<std::string> partner_notes(const FileComparisons& all,
                                       const FileComparison& comparison);

/// What must be said of the whole: how the words came about, drift, what could not be shown, and
/// what came of the limit.
std::vector<std::string> closing_notes(const FileComparisons& all);

/// Names of the formats a comparison has; the first is the default.
std::vector<std::string> file_comparison_formats();

/// The comparison in the format of that name, ending in a line feed. Throws UsageError for a name
/// that is not among them.
std::string render(std::string_view format, const FileComparisons& all,
                   const RenderOptions& options);

}  // namespace futex_bench
