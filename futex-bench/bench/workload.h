// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Work of a given length inside and between critical sections.
#pragma once

#include <cstdint>

namespace futex_bench {

/// How many units of busy_work (lock_loop.h) take `ns` nanoseconds on this machine while nothing
/// disturbs it; 0 for 0. The speed is measured once per process, in about 20 ms, as the best of
/// many short runs: what slows a run down is not the work's own length.
std::uint64_t busy_work_units(double ns);

}  // namespace futex_bench
