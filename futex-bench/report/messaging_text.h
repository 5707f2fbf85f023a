// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The text form of `messaging`: the line of the historical test, and beneath it what that line hides.
#pragma once

#include <string>

#include "futex-bench/report/point_view.h"
#include "futex-bench/report/render_options.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// True if the historical line can be made from this result; hackbench's form has none.
bool has_messaging_lines(const RunResult& result);

/// For each point a heading, the historical line, and the other figures indented:
///
///     2*100 processes over pipe, 10000 messages per pair
///     min:0.002ms|avg:0.004-0.007ms|mid:0.004ms|max:1212.746ms|duration:33.137s
///
/// min, the band avg (P10 to P90), mid (the median) and max are over all trials that count; duration
/// and what follows are medians of the trials.
std::string messaging_lines(const RunResult& result, const Section& section,
                            const RenderOptions& options);

/// The machine as `uname` has it, and the label of the kernel, as lines that begin with "# ".
std::string messaging_head(const RunResult& result);

/// What the words of the historical line mean, as lines that begin with "# ".
std::string messaging_legend();

}  // namespace futex_bench
