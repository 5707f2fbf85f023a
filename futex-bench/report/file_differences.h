// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What differs between two runs besides their figures, so that it, and not what was meant to be
/// compared, may be why the figures differ.
#pragma once

#include <vector>

#include "futex-bench/report/file_comparison.h"

namespace futex_bench {

/// One warning per difference in kernel, machine, build, duration or order of the trials, and one
/// per file that is incomplete. Ids: "differs-KEY" with the key of the environment field, or
/// "differs-runtime", "differs-duration-form", "differs-order"; "incomplete".
std::vector<Warning> file_differences(const ResultFile& base, const ResultFile& changed);

}  // namespace futex_bench
