// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// In which order trials run. Every round runs every point once, so that drift and disturbance hit
/// all points alike: with all trials of A before all trials of B, a machine that drifts by 3 %
/// makes two equal locks "differ" in 62 of 100 runs, interleaved in 5 (simulated, 10 trials each).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "common/stats/sample.h"

namespace futex_bench {

/// The order within a round.
enum class TrialOrder : std::uint8_t {
  kRandom,      ///< any, a new one in each round
  kLatin,       ///< modes to be compared right after one another: see Plan
  kSequential,  ///< that of the report, the same in each round; what comes after what never changes
};

inline constexpr std::array<std::pair<TrialOrder, std::string_view>, 3> kTrialOrderNames = {{
    {TrialOrder::kRandom, "random"},
    {TrialOrder::kLatin, "latin"},
    {TrialOrder::kSequential, "sequential"},
}};

/// Throws std::logic_error for a name that is not in the table.
TrialOrder trial_order(std::string_view name);

/// The points of a run in blocks: those that differ in nothing but the mode. The latin order keeps
/// a block together and turns it by one place per round, as in a cyclic Latin square: in as many
/// rounds as there are modes each mode has each place once. The blocks themselves come in random
/// order.
class Plan {
 public:
  Plan(const std::vector<const PointKey*>& points, TrialOrder order, std::uint64_t seed);

  /// All points, 0 .. n-1, in the order to run them in round `round`, 0-based. Depends on nothing
  /// but the points, the order, the seed and the round, on any machine.
  std::vector<std::size_t> round(unsigned round) const;

 private:
  std::size_t points_;
  TrialOrder order_;
  std::uint64_t seed_;
  std::vector<std::vector<std::size_t>> blocks_;  ///< each in the order of the report
};

/// A random permutation of 0 .. count - 1 that depends on nothing but `seed` and `round`.
std::vector<std::size_t> permutation(std::size_t count, std::uint64_t seed, unsigned round);

}  // namespace futex_bench
