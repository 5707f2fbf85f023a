// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <system_error>

#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> first_cpus(int count) {
  std::vector<int> cpus(static_cast<std::size_t>(count));
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}

template <class Value>
std::vector<Value> column(const Topology& topology, Value Cpu::*member) {
  std::vector<Value> values;
  for (const Cpu& cpu : topology.cpus()) values.push_back(cpu.*member);
  return values;
}

TEST(Topology, OneNodeWithoutSmt) {
  FakeTree tree;
  for (int cpu = 0; cpu < 4; ++cpu) tree.add_cpu(cpu, 0, std::to_string(cpu), "0-3");
  tree.add_node(0, "0-3");
  const Topology topology = Topology::read(tree.root(), first_cpus(4));
  EXPECT_THAT(column(topology, &Cpu::id), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(column(topology, &Cpu::core), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(column(topology, &Cpu::llc), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(column(topology, &Cpu::node), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(column(topology, &Cpu::package), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(column(topology, &Cpu::capacity), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(topology.nodes(), ElementsAre(0));
  EXPECT_FALSE(topology.mixed_cores());
}

/// Nodes of two cores; the second thread of core c is c + 8. Two nodes per package.
void write_four_nodes(FakeTree& tree) {
  for (int cpu = 0; cpu < 16; ++cpu) {
    const int core = cpu % 8;
    const int first = core / 2 * 2;
    tree.add_cpu(cpu, core / 4, fmt::format("{},{}", core, core + 8),
                 fmt::format("{}-{},{}-{}", first, first + 1, first + 8, first + 9));
  }
  for (int node = 0; node < 4; ++node) {
    tree.add_node(node,
                  fmt::format("{}-{},{}-{}", 2 * node, 2 * node + 1, 2 * node + 8, 2 * node + 9));
  }
}

TEST(Topology, FourNodesWithSmt) {
  FakeTree tree;
  write_four_nodes(tree);
  const Topology topology = Topology::read(tree.root(), first_cpus(16));
  EXPECT_THAT(column(topology, &Cpu::core),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(column(topology, &Cpu::llc),
              ElementsAre(0, 0, 2, 2, 4, 4, 6, 6, 0, 0, 2, 2, 4, 4, 6, 6));
  EXPECT_THAT(column(topology, &Cpu::node),
              ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(column(topology, &Cpu::package),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(topology.nodes(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(topology.cpus_of_node(2), ElementsAre(4, 5, 12, 13));
  EXPECT_THAT(topology.cpus_of_node(4), IsEmpty());
}

TEST(Topology, SiblingsOutsideTheAllowedSetStillNameTheCore) {
  FakeTree tree;
  write_four_nodes(tree);
  const Topology topology = Topology::read(tree.root(), {13, 9});
  EXPECT_THAT(column(topology, &Cpu::id), ElementsAre(9, 13));
  EXPECT_THAT(column(topology, &Cpu::core), ElementsAre(1, 5));
  EXPECT_THAT(column(topology, &Cpu::llc), ElementsAre(0, 4));
  EXPECT_THAT(topology.nodes(), ElementsAre(0, 2));
}

TEST(Topology, HybridByCapacity) {
  FakeTree tree;
  for (int cpu = 0; cpu < 4; ++cpu) {
    tree.add_cpu(cpu, 0, std::to_string(cpu), "0-3");
    tree.write(FakeTree::cpu(cpu, "cpu_capacity"), cpu < 2 ? "1024" : "446");
  }
  const Topology topology = Topology::read(tree.root(), first_cpus(4));
  EXPECT_THAT(column(topology, &Cpu::capacity), ElementsAre(1024, 1024, 446, 446));
  EXPECT_TRUE(topology.mixed_cores());
  EXPECT_FALSE(Topology::read(tree.root(), {2, 3}).mixed_cores());
}

TEST(Topology, HybridByCoreType) {
  FakeTree tree;
  tree.write("/sys/devices/cpu_core/cpus", "0-1");
  tree.write("/sys/devices/cpu_atom/cpus", "2-3");
  const Topology topology = Topology::read(tree.root(), first_cpus(4));
  EXPECT_THAT(column(topology, &Cpu::atom), ElementsAre(false, false, true, true));
  EXPECT_TRUE(topology.mixed_cores());
  EXPECT_FALSE(Topology::read(tree.root(), {0, 1}).mixed_cores());
}

TEST(Topology, EmptyTreeGivesCoresOfTheirOwnInOneCacheAndNode) {
  FakeTree tree;
  const Topology topology = Topology::read(tree.root(), {7, 3});
  EXPECT_THAT(column(topology, &Cpu::id), ElementsAre(3, 7));
  EXPECT_THAT(column(topology, &Cpu::core), ElementsAre(3, 7));
  EXPECT_THAT(column(topology, &Cpu::llc), ElementsAre(3, 3));
  EXPECT_THAT(topology.nodes(), ElementsAre(0));
  EXPECT_FALSE(topology.mixed_cores());
}

TEST(Topology, NoAllowedProcessor) {
  const Topology topology({});
  EXPECT_THAT(topology.nodes(), IsEmpty());
  EXPECT_FALSE(topology.mixed_cores());
}

TEST(Topology, UnknownCachesEndAtTheNode) {
  FakeTree tree;
  tree.add_node(0, "0-1");
  tree.add_node(1, "2-3");
  EXPECT_THAT(column(Topology::read(tree.root(), first_cpus(4)), &Cpu::llc),
              ElementsAre(0, 0, 2, 2));
}

TEST(Topology, OfflineProcessorHasNoTopology) {
  FakeTree tree;
  tree.add_cpu(0, 0, "0", "0,2");
  tree.make_directory("/sys/devices/system/cpu/cpu1");
  tree.add_cpu(2, 0, "2", "0,2");
  tree.add_node(0, "0,2");
  const Topology topology = Topology::read(tree.root(), {0, 2});
  EXPECT_THAT(column(topology, &Cpu::id), ElementsAre(0, 2));
  EXPECT_THAT(column(topology, &Cpu::llc), ElementsAre(0, 0));
}

TEST(Topology, HighestCacheLevelWinsInAnyOrder) {
  FakeTree tree;
  tree.add_cache(1, 0, 3, "0-1");
  tree.add_cache(1, 1, 1, "1");
  EXPECT_THAT(column(Topology::read(tree.root(), {1}), &Cpu::llc), ElementsAre(0));
}

TEST(Topology, MalformedFilesCountAsMissing) {
  FakeTree tree;
  tree.add_cpu(1, -1, "x", "0-");
  tree.write(FakeTree::cpu(1, "cpu_capacity"), "");
  tree.add_node(0, "?");
  const Topology topology = Topology::read(tree.root(), {1});
  EXPECT_THAT(column(topology, &Cpu::core), ElementsAre(1));
  EXPECT_THAT(column(topology, &Cpu::package), ElementsAre(0));
  EXPECT_THAT(column(topology, &Cpu::capacity), ElementsAre(0));
  EXPECT_THAT(topology.nodes(), ElementsAre(0));
}

TEST(Topology, MoreThan1024Processors) {
  FakeTree tree;
  for (int cpu = 0; cpu < 1500; ++cpu) {
    tree.write(FakeTree::cpu(cpu, "topology/thread_siblings_list"),
               fmt::format("{},{}", cpu % 750, cpu % 750 + 750));
  }
  tree.add_node(0, "0-374,750-1124");
  tree.add_node(1, "375-749,1125-1499");
  const Topology topology = Topology::read(tree.root(), first_cpus(1500));
  ASSERT_EQ(topology.cpus().size(), 1500U);
  EXPECT_EQ(topology.cpus()[1499].core, 749);
  EXPECT_EQ(topology.cpus()[1499].node, 1);
  EXPECT_EQ(topology.cpus_of_node(0).size(), 750U);
}

TEST(Topology, CurrentHoldsExactlyTheAllowedProcessors) {
  const std::vector<int> allowed = allowed_cpus();
  ASSERT_FALSE(allowed.empty());
  EXPECT_EQ(column(Topology::current(), &Cpu::id), allowed);
}

TEST(Topology, AllowedFollowsTheAffinityOfTheThread) {
  const std::vector<int> before = allowed_cpus();
  if (before.back() >= CPU_SETSIZE) GTEST_SKIP() << "processor above a fixed-size mask";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(before.back()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::vector<int> pinned = allowed_cpus();
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int cpu : before) CPU_SET(static_cast<unsigned>(cpu), &all);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_THAT(pinned, ElementsAre(before.back()));
}

/// From now on this process lives on a kernel whose processor masks have `bytes` bytes: it refuses
/// smaller ones.
void demand_affinity_masks_of(unsigned bytes) {
  constexpr unsigned kLowHalf = std::endian::native == std::endian::little ? 0 : 4;
  constexpr unsigned kLength = offsetof(seccomp_data, args) + sizeof(std::uint64_t) + kLowHalf;
  auto filter = std::to_array<sock_filter>({
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kLength),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, bytes, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  });
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::abort();
  }
}

TEST(TopologyDeathTest, AllowedGrowsTheMaskUntilTheKernelTakesIt) {
  const std::vector<int> before = allowed_cpus();
  EXPECT_EXIT(
      {
        demand_affinity_masks_of(1024);  // 8192 processors
        std::_Exit(allowed_cpus() == before ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(TopologyDeathTest, AllowedGivesUpOnAKernelThatTakesNoMask) {
  EXPECT_EXIT(
      {
        demand_affinity_masks_of(1U << 30);
        try {
          allowed_cpus();
        } catch (const std::system_error& error) {
          std::_Exit(error.code().value() == EINVAL ? 0 : 1);
        }
        std::_Exit(2);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace futex_bench
