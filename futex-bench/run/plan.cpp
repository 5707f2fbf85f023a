// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/plan.h"

#include <numeric>
#include <random>
#include <utility>

namespace futex_bench {

std::vector<std::size_t> order_of_round(std::size_t points, std::uint64_t seed, unsigned round) {
  std::vector<std::size_t> order(points);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(round)};
  std::mt19937_64 random(sequence);
  // Fisher and Yates by hand: what std::shuffle and std::uniform_int_distribution make of a seed is
  // left to each library. The bias of the remainder is below points / 2^64.
  for (std::size_t left = points; left > 1; --left) {
    std::swap(order[left - 1], order[static_cast<std::size_t>(random() % left)]);
  }
  return order;
}

}  // namespace futex_bench
