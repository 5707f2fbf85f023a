// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One line a point, for shell scripts.
#pragma once

#include <string>

#include "futex-bench/report/result.h"

namespace futex_bench {

/// Lines of words separated by one space: mode, threads, median of the first metric, its unit, and
/// NAME=VALUE for each parameter that differs between the points: `wait 4 20790.1 Kiter/s`. What
/// does not exist (a mode, a thread count, a result) is "-"; a unit of "1" is the metric's name.
std::string simple_report(const RunResult& result);

}  // namespace futex_bench
