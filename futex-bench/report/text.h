// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Results for people at a terminal.
#pragma once

#include <string>

#include "futex-bench/report/render_options.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// The run as text, every figure the median over the trials.
///
/// For `lock` one table per mode, whose lines begin with the form that scripts of the old futextest
/// harness parse, byte for byte:
///     `   4 threads: 20790 Kiter/s (5.73s user 10.53s system 4.81s wall 3.38 cores)`
/// followed by the spread of the rate, Jain's index ("fair"), the share of acquisitions that did
/// not succeed at the first attempt ("slow") and notes. Other benchmarks get one table of all
/// metrics. With several modes a side-by-side table follows. A value that is not available is "-".
std::string text_report(const RunResult& result, const RenderOptions& options);

}  // namespace futex_bench
