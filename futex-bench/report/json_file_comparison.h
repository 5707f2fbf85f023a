// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A comparison of result files for programs.
///
/// The document is an object (readers must ignore members they do not know; a number that does not
/// exist is null):
///   schema_version    1
///   tool              "futex-bench compare"
///   benchmark, metric, unit, direction, alpha
///   tests             comparisons over which the p-values were adjusted
///   trials_needed     trials on each side with which any difference could be shown
///   fail_above        the limit in percent, or null
///   regressions       rows beyond it
///   without_data      rows with values in one of the two files only
///   base              {file, started, commit}
///   comparisons       array of {new: {file, started, commit}, warnings: [{id, text, fix}], rows,
///                     only_in_base, only_in_new (arrays of {mode, threads, parameters})}
///     rows            array of {mode, threads, parameters, base, new, ratio, low, high,
///                     has_interval, p_value, p_adjusted, detectable_ratio, worse_percent, verdict,
///                     beyond_limit, reason}; ratio is new / base; verdict is "" and reason set
///                     where there is nothing to compare
///     base, new       {median, count, failed, disturbed, disturbed_left_out}
///   notes             array of sentences
#pragma once

#include <string>

#include "futex-bench/report/file_comparison.h"

namespace futex_bench {

/// The document, indented, with a final line feed.
std::string json_file_comparison(const FileComparisons& all);

}  // namespace futex_bench
