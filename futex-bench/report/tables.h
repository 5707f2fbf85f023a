// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What text and Markdown show, as tables: the points of a benchmark and the modes side by side.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "futex-bench/report/comparison.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/table.h"

namespace futex_bench {

/// One row per point: the mode if there are several, threads if the benchmark has such a number,
/// the parameters that differ, the first metric with its spread, the medians of the other metrics,
/// notes. `verbose` adds smallest, largest and number of good trials, and for `lock` shares,
/// switches and overlap.
Table points_table(const RunResult& result, const Section& section, bool verbose);

/// How a point is called in a sentence of its own: "wait, 4 threads, hold_ns=200".
std::string point_name(const PointSamples& point, const Section& section);

/// One row per thread count and combination of parameters; the first mode, then the `count` modes
/// from index `first` (1 or more) on, each with its ratio to the first mode and words.
Table comparison_table(const Comparison& comparison, std::size_t first, std::size_t count);

/// "Side by side: Kiter/s (medians) and ratio to wait [95 % interval]".
std::string comparison_heading(const Comparison& comparison);

/// What must be said beneath: how the words came about, and if nothing could be shown, why.
std::vector<std::string> comparison_notes(const Comparison& comparison);

/// The notes that a whole report ends with: what a range means, that the run is incomplete.
std::vector<std::string> closing_notes(const RunResult& result, const Comparison* comparison);

}  // namespace futex_bench
