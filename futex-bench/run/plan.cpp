// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/plan.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace futex_bench {

TrialOrder trial_order(std::string_view name) {
  for (const auto& [order, known] : kTrialOrderNames) {
    if (known == name) return order;
  }
  throw std::logic_error("no order is called " + std::string(name));
}

std::vector<std::size_t> permutation(std::size_t count, std::uint64_t seed, unsigned round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(round)};
  std::mt19937_64 random(sequence);
  // Fisher and Yates by hand: what std::shuffle and std::uniform_int_distribution make of a seed is
  // left to each library. The bias of the remainder is below count / 2^64.
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[static_cast<std::size_t>(random() % left)]);
  }
  return order;
}

Plan::Plan(const std::vector<const PointKey*>& points, TrialOrder order, std::uint64_t seed)
    : points_(points.size()), order_(order), seed_(seed) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto is_mate = [&](const std::vector<std::size_t>& block) {
      const PointKey& mate = *points[block.front()];
      return mate.threads == points[i]->threads && mate.parameters == points[i]->parameters;
    };
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), is_mate);
    if (block == blocks_.end()) {
      blocks_.push_back({i});
    } else {
      block->push_back(i);
    }
  }
}

std::vector<std::size_t> Plan::round(unsigned round) const {
  if (order_ == TrialOrder::kRandom) return permutation(points_, seed_, round);
  std::vector<std::size_t> order(points_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order_ == TrialOrder::kSequential) return order;

  auto next = order.begin();
  for (const std::size_t index : permutation(blocks_.size(), seed_, round)) {
    const std::vector<std::size_t>& block = blocks_[index];
    const auto first = block.begin() + static_cast<std::ptrdiff_t>(round % block.size());
    next = std::rotate_copy(block.begin(), first, block.end(), next);
  }
  return order;
}

}  // namespace futex_bench
