// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_pair.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/system/error.h"

namespace futex_bench {
namespace {

Cpu cpu(int id, int core, int llc, int node) {
  return {.id = id, .core = core, .llc = llc, .node = node};
}

TEST(FindPair, TakesTheFirstOfTheKind) {
  // Two nodes; the first has two caches of two cores with two threads each.
  const Topology topology({cpu(0, 0, 0, 0), cpu(1, 1, 0, 0), cpu(2, 2, 2, 0), cpu(3, 3, 2, 0),
                           cpu(4, 0, 0, 0), cpu(5, 1, 0, 0), cpu(8, 8, 8, 1)});
  EXPECT_EQ(find_pair("same-cpu", topology), CpuPair(0, 0));
  EXPECT_EQ(find_pair("smt", topology), CpuPair(0, 4));
  EXPECT_EQ(find_pair("same-llc", topology), CpuPair(0, 1));
  EXPECT_EQ(find_pair("same-node", topology), CpuPair(0, 2));
  EXPECT_EQ(find_pair("cross-node", topology), CpuPair(0, 8));
}

TEST(FindPair, OneProcessorHasOnlyItself) {
  const Topology topology({cpu(3, 3, 3, 0)});
  EXPECT_EQ(find_pair("same-cpu", topology), CpuPair(3, 3));
  EXPECT_EQ(all_pairs(topology), std::vector<CpuPair>({{3, 3}}));
  for (const char* kind : {"smt", "same-llc", "same-node", "cross-node"}) {
    EXPECT_THROW(find_pair(kind, topology), UsageError) << kind;
  }
}

TEST(AllPairs, AreOrderedAndIncludeTheDiagonal) {
  const Topology topology({cpu(0, 0, 0, 0), cpu(2, 2, 0, 0)});
  EXPECT_EQ(all_pairs(topology), std::vector<CpuPair>({{0, 0}, {0, 2}, {2, 0}, {2, 2}}));
}

}  // namespace
}  // namespace futex_bench
