// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <system_error>

#include "common/system/error.h"
#include "tests/unit/seccomp.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Four nodes of two caches of two cores of two threads; thread 1 of core c is c + 16. Node n has
/// the cores 4n to 4n + 3, the first two of them under one cache.
Topology four_nodes() {
  std::vector<Cpu> cpus;
  for (int id = 0; id < 32; ++id) {
    Cpu cpu;
    cpu.id = id;
    cpu.core = id % 16;
    cpu.llc = cpu.core / 2 * 2;
    cpu.node = cpu.core / 4;
    cpu.package = cpu.node / 2;
    cpus.push_back(cpu);
  }
  return Topology(std::move(cpus));
}

/// The processor of each thread under a policy that pins to one.
std::vector<int> order(const std::string& placement, const Topology& topology, unsigned threads) {
  std::vector<int> cpus;
  for (const std::vector<int>& list : place(parse_placement(placement), topology, threads)) {
    EXPECT_EQ(list.size(), 1U);
    cpus.push_back(list.at(0));
  }
  return cpus;
}

std::string usage_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(Placement, ReadsAndWritesEveryPolicy) {
  for (const char* text : {"none", "compact", "scatter", "node=3", "cpus=1,0", "cpus=8,0-3"}) {
    EXPECT_EQ(parse_placement(text).to_string(), text);
  }
}

TEST(Placement, KeepsTheOrderOfCpus) {
  EXPECT_THAT(parse_placement("cpus=1,0").cpus, ElementsAre(1, 0));
  EXPECT_THAT(parse_placement("cpus=6,0-4:2").cpus, ElementsAre(6, 0, 2, 4));
}

class PlacementRefuses : public ::testing::TestWithParam<const char*> {};

TEST_P(PlacementRefuses, WhatIsNoPlacement) {
  EXPECT_THROW(parse_placement(GetParam()), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Placement, PlacementRefuses,
                         ::testing::Values("", "Compact", "compact ", "node", "node=", "node=-1",
                                           "node=x", "node=1024", "cpus", "cpus=", "cpus=1,,2",
                                           "cpus=1,", "cpus=3-1", "cpus=0,0", "cpus=0-3,2",
                                           "cpus=-1", "cpus=1048576"));

TEST(Placement, ErrorNamesTextAndChoices) {
  const std::string error = usage_error([] { parse_placement("tight"); });
  EXPECT_THAT(error, HasSubstr("'tight'"));
  EXPECT_THAT(error, HasSubstr("none, compact, scatter, node=N or cpus=LIST"));
}

TEST(Placement, NonePinsNothing) {
  EXPECT_THAT(place({}, four_nodes(), 2), ElementsAre(std::vector<int>(), std::vector<int>()));
}

TEST(Placement, CompactFillsCoreCacheAndNode) {
  EXPECT_THAT(order("compact", four_nodes(), 10), ElementsAre(0, 16, 1, 17, 2, 18, 3, 19, 4, 20));
}

TEST(Placement, ScatterTakesNodesThenCachesThenCoresThenSiblings) {
  EXPECT_THAT(order("scatter", four_nodes(), 32),
              ElementsAre(0, 4, 8, 12,     // a cache of each node
                          2, 6, 10, 14,    // the other cache
                          1, 5, 9, 13,     // second cores
                          3, 7, 11, 15,    //
                          16, 20, 24, 28,  // second threads, in the same order
                          18, 22, 26, 30,  //
                          17, 21, 25, 29,  //
                          19, 23, 27, 31));
}

TEST(Placement, ScatterUsesEveryCoreBeforeASiblingOnUnevenNodes) {
  // Node 0 has one core with two threads, node 1 three cores with one.
  std::vector<Cpu> cpus(5);
  for (int id = 0; id < 5; ++id) {
    Cpu& cpu = cpus[static_cast<std::size_t>(id)];
    cpu.id = id;
    cpu.core = id < 2 ? 0 : id;
    cpu.node = id < 2 ? 0 : 1;
    cpu.llc = id < 2 ? 0 : 2;
  }
  EXPECT_THAT(order("scatter", Topology(cpus), 5), ElementsAre(0, 2, 3, 4, 1));
}

TEST(Placement, NodesOfSparseNumbersKeepTheirOrder) {
  std::vector<Cpu> cpus(4);
  for (int id = 0; id < 4; ++id) {
    Cpu& cpu = cpus[static_cast<std::size_t>(id)];
    cpu.id = cpu.core = id;
    cpu.node = id < 2 ? 8 : 0;
    cpu.llc = id < 2 ? 0 : 2;
  }
  EXPECT_THAT(order("compact", Topology(cpus), 4), ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(order("scatter", Topology(cpus), 4), ElementsAre(2, 0, 3, 1));
}

TEST(Placement, MoreThreadsThanProcessorsWrapAround) {
  EXPECT_THAT(order("cpus=5,4", four_nodes(), 5), ElementsAre(5, 4, 5, 4, 5));
  EXPECT_EQ(order("compact", four_nodes(), 33).back(), 0);
}

TEST(Placement, NodeGivesEveryThreadTheWholeNode) {
  const std::vector<int> node1 = {4, 5, 6, 7, 20, 21, 22, 23};
  EXPECT_THAT(place(parse_placement("node=1"), four_nodes(), 2), ElementsAre(node1, node1));
}

TEST(Placement, RefusesProcessorsThatAreNotAllowed) {
  const std::string error =
      usage_error([] { place(parse_placement("cpus=3,32"), four_nodes(), 1); });
  EXPECT_THAT(error, HasSubstr("32"));
  EXPECT_THAT(error, HasSubstr("0-31"));
}

TEST(Placement, RefusesNodesThatAreNotThere) {
  const std::string error = usage_error([] { place(parse_placement("node=4"), four_nodes(), 1); });
  EXPECT_THAT(error, HasSubstr("node 4"));
  EXPECT_THAT(error, HasSubstr("0-3"));
}

TEST(Placement, RefusesToPinWithoutProcessors) {
  EXPECT_THROW(place(parse_placement("compact"), Topology({}), 1), UsageError);
  PlacementSpec nothing;
  nothing.policy = PlacementPolicy::kCpus;
  EXPECT_THROW(place(nothing, four_nodes(), 1), UsageError);
}

class PlacementMemory : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 64UL * 1024;
  void SetUp() override {
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory_, MAP_FAILED);
  }
  void TearDown() override { munmap(memory_, kBytes); }
  void* memory_ = nullptr;
};

TEST_F(PlacementMemory, BoundMemoryIsUsable) {
  // Not at the start of a page: the whole page is bound then.
  char* const inside = static_cast<char*>(memory_) + 100;
  try {
    bind_memory(inside, kBytes - 100, static_cast<unsigned>(Topology::current().nodes().front()));
  } catch (const UsageError& error) {
    GTEST_SKIP() << error.what();
  } catch (const std::system_error& error) {
    if (error.code().value() != EPERM && error.code().value() != ENOSYS) throw;
    GTEST_SKIP() << error.what();
  }
  std::memset(memory_, 1, kBytes);
  EXPECT_EQ(inside[0], 1);
}

TEST_F(PlacementMemory, RefusesANodeThatIsNotThere) {
  EXPECT_THROW(bind_memory(memory_, kBytes, 1000), UsageError);
}

TEST(PlacementDeathTest, WithoutNumaInTheKernelBindingIsAUsageError) {
  EXPECT_EXIT(
      {
        deny_system_call(SYS_get_mempolicy, ENOSYS);
        int word = 0;
        const std::string error = usage_error([&word] { bind_memory(&word, sizeof word, 0); });
        std::_Exit(error.find("no NUMA") != std::string::npos ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(PlacementDeathTest, ADeniedBindingIsAnError) {
  EXPECT_EXIT(
      {
        deny_system_call(SYS_mbind, EPERM);
        int word = 0;
        try {
          bind_memory(&word, sizeof word,
                      static_cast<unsigned>(Topology::current().nodes().front()));
        } catch (const UsageError&) {
          std::_Exit(0);  // no NUMA here: mbind is not reached
        } catch (const std::system_error& error) {
          std::_Exit(error.code().value() == EPERM ? 0 : 1);
        }
        std::_Exit(2);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace futex_bench
