// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Which two processors the ends of a wake run on.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "common/system/topology.h"

namespace futex_bench {

/// The notifier's processor and the waiter's.
using CpuPair = std::pair<int, int>;

/// What two processors share at the closest, nearest first.
inline constexpr std::array<std::string_view, 5> kPairNames = {"same-cpu", "smt", "same-llc",
                                                               "same-node", "cross-node"};

/// The first pair (lowest first processor, then lowest second) of the kind: smt is two threads of
/// one core; same-llc two cores under one last-level cache; same-node two such caches of one node.
/// Throws UsageError if no two allowed processors are like that, std::logic_error for a name that
/// is not in kPairNames.
CpuPair find_pair(std::string_view kind, const Topology& topology);

/// Every ordered pair, a processor with itself included, by first, then second.
std::vector<CpuPair> all_pairs(const Topology& topology);

}  // namespace futex_bench
