// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// In which order trials run. Every round runs every point once, so that drift and disturbance hit
/// all points alike; see "Statistics" in the README for what sequential order costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace futex_bench {

/// The points of round `round`, 0-based, in the order to run them: a random permutation of
/// 0 .. points - 1 that depends on nothing but `seed` and `round`, on any machine.
std::vector<std::size_t> order_of_round(std::size_t points, std::uint64_t seed, unsigned round);

}  // namespace futex_bench
