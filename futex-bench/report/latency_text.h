// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `wake-latency` for people at a terminal: the table that tests of this kind have always printed,
/// more columns behind it, and processors by processors where all pairs were measured.
#pragma once

#include <string>

#include "futex-bench/report/point_view.h"
#include "futex-bench/report/render_options.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// True if the run is of that kind and its trials have distributions.
bool has_latency_lines(const RunResult& result);

/// What moves the figures more than any method does, a line each that begins with "# ": idle states,
/// frequency governor, policy, timer slack, cost of a stamp.
std::string latency_circumstances(const RunResult& result);

/// One mode. From the samples of all trials that count, in microseconds:
///     `sleep us     mean +-sd      min   median      %99 ...`
/// Samples whose ends were on one processor and on two have lines of their own where both occurred,
/// and so have those that were not blocked. Every sample in time order beneath, if the run has them.
std::string latency_section(const RunResult& result, const Section& section,
                            const RenderOptions& options);

}  // namespace futex_bench
