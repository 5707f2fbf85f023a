// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The figures of `wake-latency` beside what one would write by hand.
#pragma once

namespace futex_bench {

/// Prints medians as ratios, both sides alternating in one run: `pipe` to a bare pipe between two
/// threads on the first allowed processor; that pipe with a sleep before each message to one
/// without; and `busy-wait` to a bare cache line between the first two processors. Prints why if
/// there is only one. Throws std::system_error.
void print_ping_ratios();

}  // namespace futex_bench
