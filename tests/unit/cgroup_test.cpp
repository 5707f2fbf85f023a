// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kV2Mount =
    "25 1 0:23 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "31 25 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";

/// Group /a/b of a v2 machine; quota on a only, throttling in both.
void write_v2(FakeTree& tree) {
  tree.write("/proc/self/cgroup", "0::/a/b");
  tree.write("/proc/self/mountinfo", kV2Mount);
  tree.write("/sys/fs/cgroup/cgroup.controllers", "cpu pids");
  tree.write("/sys/fs/cgroup/a/cpu.max", "50000 100000");
  tree.write("/sys/fs/cgroup/a/cpu.stat",
             "usage_usec 10\nnr_periods 9\nnr_throttled 4\nthrottled_usec 700");
  tree.write("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  tree.write("/sys/fs/cgroup/a/b/cpu.stat",
             "usage_usec 5\nnr_periods 9\nnr_throttled 1\nthrottled_usec 30");
}

TEST(Cgroup, V2PathGoesUpToTheMount) {
  FakeTree tree;
  write_v2(tree);
  const CgroupPath path = find_cgroup(tree.root(), "cpu");
  EXPECT_EQ(path.version, 2);
  EXPECT_THAT(path.directories,
              ElementsAre("/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"));
  EXPECT_THAT(path.reason, IsEmpty());
}

TEST(Cgroup, V2QuotaOfAGroupAboveCounts) {
  FakeTree tree;
  write_v2(tree);
  const CgroupCpu cpu = read_cgroup_cpu(tree.root());
  ASSERT_TRUE(cpu.quota);
  EXPECT_DOUBLE_EQ(cpu.quota->cpus(), 0.5);
  EXPECT_EQ(cpu.quota->directory, "/sys/fs/cgroup/a");
  ASSERT_TRUE(cpu.throttling);
  EXPECT_EQ(cpu.throttling->periods, 5U);
  EXPECT_EQ(cpu.throttling->time_us, 730U);
}

TEST(Cgroup, TheTightestQuotaWins) {
  FakeTree tree;
  write_v2(tree);
  tree.write("/sys/fs/cgroup/a/b/cpu.max", "20000 50000");  // 0.4, though 20000 of more often
  EXPECT_DOUBLE_EQ(read_cgroup_cpu(tree.root()).quota.value().cpus(), 0.4);
  tree.write("/sys/fs/cgroup/a/b/cpu.max", "200000 100000");
  EXPECT_DOUBLE_EQ(read_cgroup_cpu(tree.root()).quota.value().cpus(), 0.5);
}

TEST(Cgroup, NoQuotaIsKnown) {
  FakeTree tree;
  write_v2(tree);
  tree.write("/proc/self/cgroup", "0::/");
  const CgroupCpu cpu = read_cgroup_cpu(tree.root());
  EXPECT_FALSE(cpu.quota);
  EXPECT_THAT(cpu.reason, IsEmpty());
}

/// Container of cgroup v1: the mounts show only the groups from /docker/x on.
void write_v1(FakeTree& tree) {
  tree.write("/proc/self/cgroup",
             "7:pids:/docker/x/job\n4:cpu,cpuacct:/docker/x\n3:cpuset:/docker/x\n1:name=systemd:/");
  tree.write("/proc/self/mountinfo",
             "40 30 0:30 /docker/x /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "41 30 0:31 /docker/x /cg\\040roup/pids rw - cgroup cgroup rw,pids\n"
             "42 30 0:32 /docker/x /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset");
  const std::string cpu = "/sys/fs/cgroup/cpu,cpuacct";
  tree.write(cpu + "/cpu.cfs_quota_us", "150000");
  tree.write(cpu + "/cpu.cfs_period_us", "100000");
  tree.write(cpu + "/cpu.stat", "nr_periods 10\nnr_throttled 3\nthrottled_time 4500999");
  tree.write("/cg roup/pids/pids.max", "20");
  tree.write("/cg roup/pids/pids.current", "18");
  tree.write("/cg roup/pids/job/pids.max", "max");
  tree.write("/cg roup/pids/job/pids.current", "7");
  tree.write("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-1");
}

TEST(Cgroup, V1QuotaAndThrottlingInMicroseconds) {
  FakeTree tree;
  write_v1(tree);
  const CgroupCpu cpu = read_cgroup_cpu(tree.root());
  EXPECT_EQ(find_cgroup(tree.root(), "cpu").version, 1);
  ASSERT_TRUE(cpu.quota) << cpu.reason;
  EXPECT_DOUBLE_EQ(cpu.quota->cpus(), 1.5);
  ASSERT_TRUE(cpu.throttling);
  EXPECT_EQ(cpu.throttling->periods, 3U);
  EXPECT_EQ(cpu.throttling->time_us, 4500U);
}

TEST(Cgroup, V1MinusOneIsNoQuota) {
  FakeTree tree;
  write_v1(tree);
  tree.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  const CgroupCpu cpu = read_cgroup_cpu(tree.root());
  EXPECT_FALSE(cpu.quota);
  EXPECT_THAT(cpu.reason, IsEmpty());
}

TEST(Cgroup, V1PidsBehindAnEscapedMountPoint) {
  FakeTree tree;
  write_v1(tree);
  const CgroupPids pids = read_cgroup_pids(tree.root());
  ASSERT_TRUE(pids.limit) << pids.reason;
  EXPECT_EQ(pids.limit->max, 20U);
  EXPECT_EQ(pids.limit->current, 18U);
  EXPECT_EQ(pids.limit->directory, "/cg roup/pids");
}

TEST(Cgroup, ThePidsLimitWithLeastRoomWins) {
  FakeTree tree;
  write_v2(tree);
  tree.write("/sys/fs/cgroup/a/pids.max", "1000");
  tree.write("/sys/fs/cgroup/a/pids.current", "995");
  tree.write("/sys/fs/cgroup/a/b/pids.max", "100");
  tree.write("/sys/fs/cgroup/a/b/pids.current", "3");
  EXPECT_EQ(read_cgroup_pids(tree.root()).limit.value().max, 1000U);
  tree.write("/sys/fs/cgroup/a/b/pids.current", "120");  // over the limit after lowering it
  EXPECT_EQ(read_cgroup_pids(tree.root()).limit.value().max, 100U);
}

TEST(Cgroup, HybridTakesEachControllerWhereItIs) {
  FakeTree tree;
  write_v2(tree);
  tree.write("/proc/self/cgroup", "8:pids:/p\n0::/a/b");
  tree.write("/proc/self/mountinfo",
             std::string(kV2Mount) + "\n32 25 0:29 / /pids rw - cgroup cgroup rw,pids");
  tree.write("/pids/p/pids.max", "64");
  EXPECT_EQ(find_cgroup(tree.root(), "pids").version, 1);
  EXPECT_EQ(find_cgroup(tree.root(), "cpu").version, 2);
  EXPECT_EQ(read_cgroup_pids(tree.root()).limit.value().max, 64U);
  EXPECT_TRUE(read_cgroup_cpu(tree.root()).quota);
}

TEST(Cgroup, CpusetOfTheNearestGroupThatHasOne) {
  FakeTree tree;
  write_v2(tree);
  EXPECT_THAT(read_cgroup_cpuset(tree.root()).reason, HasSubstr("cpuset.cpus.effective"));
  tree.write("/sys/fs/cgroup/cpuset.cpus.effective", "0-7");
  EXPECT_EQ(read_cgroup_cpuset(tree.root()).cpus, "0-7");
  tree.write("/sys/fs/cgroup/a/cpuset.cpus.effective", "2-3");
  EXPECT_EQ(read_cgroup_cpuset(tree.root()).cpus, "2-3");
  FakeTree v1;
  write_v1(v1);
  EXPECT_EQ(read_cgroup_cpuset(v1.root()).cpus, "0-1");
}

TEST(Cgroup, EmptyTreeGivesReasons) {
  FakeTree tree;
  const CgroupCpu cpu = read_cgroup_cpu(tree.root());
  EXPECT_FALSE(cpu.quota);
  EXPECT_FALSE(cpu.throttling);
  EXPECT_THAT(cpu.reason, HasSubstr("/proc/self/cgroup"));
  EXPECT_THAT(read_cgroup_pids(tree.root()).reason, HasSubstr("/proc/self/cgroup"));
  EXPECT_THAT(read_cgroup_cpuset(tree.root()).reason, HasSubstr("/proc/self/cgroup"));
}

TEST(Cgroup, MissingMountsGiveReasons) {
  FakeTree tree;
  tree.write("/proc/self/cgroup", "0::/a/b");
  EXPECT_THAT(read_cgroup_cpu(tree.root()).reason, HasSubstr("/proc/self/mountinfo"));
  tree.write("/proc/self/mountinfo", kV2Mount);  // but no such folder
  EXPECT_THAT(read_cgroup_cpu(tree.root()).reason, HasSubstr("/a/b"));
  tree.write("/proc/self/cgroup", "4:memory:/m");
  EXPECT_THAT(read_cgroup_cpu(tree.root()).reason, HasSubstr("controller cpu"));
}

TEST(Cgroup, AGroupOutsideTheMountIsNotTakenForAnother) {
  FakeTree tree;
  write_v2(tree);
  tree.write("/proc/self/cgroup", "0::/../other");
  EXPECT_FALSE(read_cgroup_cpu(tree.root()).quota);
  EXPECT_THAT(read_cgroup_cpu(tree.root()).reason, HasSubstr("not visible"));
  tree.write("/proc/self/mountinfo", "31 25 0:28 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  tree.write("/proc/self/cgroup", "0::/ab");
  tree.make_directory("/sys/fs/cgroupb");
  EXPECT_THAT(read_cgroup_cpu(tree.root()).reason, HasSubstr("not visible"));
}

TEST(Cgroup, MalformedFilesCountAsNoLimit) {
  FakeTree tree;
  write_v2(tree);
  tree.write("/sys/fs/cgroup/a/cpu.max", "50000");
  tree.write("/sys/fs/cgroup/a/b/cpu.max", "50000 0");
  tree.write("/sys/fs/cgroup/a/b/pids.max", "-3");
  EXPECT_FALSE(read_cgroup_cpu(tree.root()).quota);
  EXPECT_FALSE(read_cgroup_pids(tree.root()).limit);
}

}  // namespace
}  // namespace futex_bench
