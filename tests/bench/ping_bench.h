// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The floor of `wake-latency`, written by hand.
#pragma once

namespace futex_bench {

/// Prints the median of busy-wait over that of a bare cache line between two threads, both on the
/// first two allowed processors, alternating in one run. Prints why if there is only one.
void print_ping_ratio();

}  // namespace futex_bench
