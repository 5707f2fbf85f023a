// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ThreadLimits no_limits() { return {}; }

TEST(Limits, ReadsTheTree) {
  FakeTree tree;
  tree.write("/proc/sys/kernel/threads-max", "192729");
  tree.write("/proc/sys/kernel/pid_max", "32768");
  tree.write("/proc/sys/vm/max_map_count", "65530");
  tree.write("/proc/loadavg", "0.20 0.18 0.12 1/80 11206");
  tree.write("/proc/self/status", "Name:\tx\nVmSize:\t    1234 kB\nUid:\t1000\t1000\t1000\t1000");
  tree.write("/proc/self/cgroup", "0::/a");
  tree.write("/proc/self/mountinfo", "31 25 0:28 / /cg rw - cgroup2 cgroup2 rw");
  tree.write("/cg/a/pids.max", "20");
  tree.write("/cg/a/pids.current", "18");
  const ThreadLimits limits = read_thread_limits(tree.root());
  EXPECT_EQ(limits.threads_max, 192729U);
  EXPECT_EQ(limits.pid_max, 32768U);
  EXPECT_EQ(limits.max_map_count, 65530U);
  EXPECT_EQ(limits.tasks_now, 80U);
  EXPECT_EQ(limits.address_space_used, 1234U * 1024);
  EXPECT_TRUE(limits.nproc_applies);
  ASSERT_TRUE(limits.pids);
  EXPECT_EQ(limits.pids->max, 20U);
}

TEST(Limits, EmptyTreeHasOnlyTheResourceLimits) {
  FakeTree tree;
  const ThreadLimits limits = read_thread_limits(tree.root());
  EXPECT_FALSE(limits.pids);
  EXPECT_FALSE(limits.threads_max);
  EXPECT_FALSE(limits.pid_max);
  EXPECT_FALSE(limits.tasks_now);
  EXPECT_FALSE(limits.max_map_count);
  EXPECT_TRUE(limits.nproc_applies);
}

TEST(Limits, ReadsTheResourceLimits) {
  FakeTree tree;
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NPROC, &old), 0);
  if (old.rlim_max < 1000) GTEST_SKIP() << "the hard limit is below what is tried";
  rlimit lower = old;
  lower.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_NPROC, &lower), 0);
  const ThreadLimits limits = read_thread_limits(tree.root());
  ASSERT_EQ(setrlimit(RLIMIT_NPROC, &old), 0);
  EXPECT_EQ(limits.nproc, 1000U);
}

TEST(Limits, TheSuperuserIsExemptFromNproc) {
  const auto applies = [](const std::string& uid, const std::string& capabilities,
                          const std::string& map) {
    FakeTree tree;
    tree.write("/proc/self/status", "Uid:\t" + uid + "\t1\t1\t1\nCapEff:\t" + capabilities);
    tree.write("/proc/self/uid_map", map);
    return read_thread_limits(tree.root()).nproc_applies;
  };
  const std::string initial = "         0          0 4294967295";
  EXPECT_FALSE(applies("0", "0000000000000000", initial));
  EXPECT_FALSE(applies("1000", "0000000001000000", initial));  // CAP_SYS_RESOURCE
  EXPECT_FALSE(applies("1000", "0000000000200000", initial));  // CAP_SYS_ADMIN
  EXPECT_TRUE(applies("1000", "0000000000000000", initial));
  EXPECT_TRUE(applies("1000", "0000000000400000", initial));
  EXPECT_TRUE(applies("0", "000001ffffffffff", "0 1000 1"));  // a user namespace
}

TEST(Limits, DescribesWhatIsKnown) {
  EXPECT_EQ(describe(no_limits()), "none known");
  ThreadLimits limits;
  limits.nproc = 256;
  limits.pids = PidsLimit{20, 18, "/a"};
  limits.threads_max = 192729;
  EXPECT_EQ(describe(limits), "RLIMIT_NPROC=256, pids.max=20 (in use 18), threads-max=192729");
  limits.nproc_applies = false;
  limits.pid_max = 32768;
  limits.max_map_count = 65530;
  limits.address_space = 4096;
  EXPECT_EQ(describe(limits),
            "RLIMIT_NPROC=256 (not applied to the superuser), pids.max=20 (in use 18), "
            "threads-max=192729, pid_max=32768, max_map_count=65530, RLIMIT_AS=4096");
}

TEST(Limits, NothingKnownStopsNobody) {
  EXPECT_EQ(limit_below(1'000'000, no_limits(), 65536), std::nullopt);
}

TEST(Limits, NprocMustHoldTheTasksAndThisOne) {
  ThreadLimits limits;
  limits.nproc = 65;
  EXPECT_EQ(limit_below(64, limits, 65536), std::nullopt);
  limits.nproc = 64;
  EXPECT_EQ(limit_below(64, limits, 65536), "RLIMIT_NPROC=64, needed: 64 more");
  limits.nproc_applies = false;
  EXPECT_EQ(limit_below(64, limits, 65536), std::nullopt);
}

TEST(Limits, PidsInUseCount) {
  ThreadLimits limits;
  limits.pids = PidsLimit{20, 18, "/cg/a"};
  EXPECT_EQ(limit_below(2, limits, 0), std::nullopt);
  EXPECT_EQ(limit_below(3, limits, 0), "pids.max=20 (in use 18) in /cg/a, needed: 3 more");
}

TEST(Limits, TasksOfTheMachineCount) {
  ThreadLimits limits;
  limits.tasks_now = 100;
  limits.threads_max = 164;
  limits.pid_max = 164;
  EXPECT_EQ(limit_below(64, limits, 0), std::nullopt);
  EXPECT_THAT(limit_below(65, limits, 0).value_or(""), StartsWith("threads-max=164 (in use 100)"));
  limits.threads_max.reset();
  EXPECT_THAT(limit_below(65, limits, 0).value_or(""), StartsWith("pid_max=164 (in use 100)"));
}

TEST(Limits, MappingsCountForThreadsOnly) {
  ThreadLimits limits;
  limits.max_map_count = 2000;
  EXPECT_EQ(limit_below(936, limits, 65536), std::nullopt);
  EXPECT_THAT(limit_below(937, limits, 65536).value_or(""), HasSubstr("max_map_count=2000"));
  EXPECT_EQ(limit_below(937, limits, 0), std::nullopt);
}

TEST(Limits, AddressSpaceCountsForThreadsOnly) {
  ThreadLimits limits;
  limits.address_space = 1'000'000;
  limits.address_space_used = 400'000;
  EXPECT_EQ(limit_below(6, limits, 100'000), std::nullopt);
  EXPECT_THAT(limit_below(7, limits, 100'000).value_or(""), HasSubstr("RLIMIT_AS=1000000"));
  EXPECT_EQ(limit_below(7, limits, 0), std::nullopt);
}

TEST(Limits, EveryLimitThatIsTooSmallIsNamed) {
  ThreadLimits limits;
  limits.nproc = 4;
  limits.pids = PidsLimit{20, 18, "/cg/a"};
  limits.max_map_count = 100;
  EXPECT_EQ(limit_below(5, limits, 65536),
            "RLIMIT_NPROC=4, needed: 5 more; pids.max=20 (in use 18) in /cg/a, needed: 5 more; "
            "max_map_count=100, needed: 138 for 5 stacks with guards");
}

TEST(Limits, TheLargestNumbersDoNotWrapAround) {
  ThreadLimits limits;
  limits.max_map_count = 65530;
  EXPECT_TRUE(limit_below(4'294'967'295U, limits, 65536));
  limits = {};
  limits.nproc = 100;
  EXPECT_TRUE(limit_below(4'294'967'295U, limits, 65536));
}

TEST(Limits, FindsNothingWrongWithOneThreadHere) {
  EXPECT_EQ(limit_below(1, read_thread_limits("/"), 65536), std::nullopt);
}

}  // namespace
}  // namespace futex_bench
