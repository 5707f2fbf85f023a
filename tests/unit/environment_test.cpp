// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include <set>

#include "tests/unit/environment_fields.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string release() {
  utsname names{};
  uname(&names);
  return names.release;
}

TEST(Environment, FieldSaysValueOrReason) {
  EXPECT_EQ((EnvironmentField{"k", "l", "v", ""}.text()), "v");
  EXPECT_EQ((EnvironmentField{"k", "l", std::nullopt, "why"}.text()), "unknown (why)");
}

TEST(Environment, FieldsTurnEmptyIntoUnknown) {
  EnvironmentFields fields;
  fields.value("k", "l", "");
  EXPECT_EQ(text_of(fields.take(), "k"), "unknown (empty)");
}

/// Every field has a value or a reason, and keys that scripts can rely on.
void expect_well_formed(const std::vector<EnvironmentField>& fields) {
  std::set<std::string> keys;
  for (const EnvironmentField& field : fields) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key << " is there twice";
    EXPECT_EQ(field.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos)
        << field.key;
    EXPECT_NE(field.label, "") << field.key;
    EXPECT_NE(field.value, "") << field.key;
    EXPECT_NE(field.value.has_value(), !field.unknown_reason.empty()) << field.key;
    EXPECT_EQ(field.text().find('\n'), std::string::npos) << field.key;
  }
}

TEST(Environment, EmptyTreeGivesReasonsForAllThatComesFromFiles) {
  FakeTree tree;
  const auto fields = capture_environment(tree.root(), cpus({0, 1}));
  expect_well_formed(fields);
  const std::set<std::string> not_from_files = {
      "kernel",         "arch",          "cpus_allowed",  "packages",   "cores",
      "nodes",          "sched_policy",  "memlock_limit", "libc",       "last_level_caches",
      "timer_slack_ns", "thread_limits", "rtprio_limit",  "assertions", "futex_hash_slots",
      "compiler",       "sanitizer",     "preempt_model", "build_type", "build_flags",
      "commit"};
  for (const EnvironmentField& field : fields) {
    if (not_from_files.count(field.key) == 0) {
      EXPECT_FALSE(field.value) << field.key << " = " << field.text();
    }
  }
}

TEST(Environment, NoProcessorAtAll) {
  FakeTree tree;
  expect_well_formed(capture_environment(tree.root(), Topology({})));
}

TEST(Environment, TheSameKeysInTheSameOrderEverywhere) {
  FakeTree tree;
  std::vector<std::string> fake;
  std::vector<std::string> real;
  for (const auto& field : capture_environment(tree.root(), cpus({0}))) fake.push_back(field.key);
  const auto here = capture_environment("/", Topology::current());
  for (const auto& field : here) real.push_back(field.key);
  EXPECT_THAT(real, ElementsAreArray(fake));
  expect_well_formed(here);
}

TEST(Environment, KernelConfiguration) {
  FakeTree tree;
  EXPECT_THAT(shown(tree, "hz"), StartsWith("unknown (no /boot/config-" + release()));
  tree.write("/proc/config.gz", "\x1f\x8b");
  EXPECT_THAT(shown(tree, "hz"), HasSubstr("/proc/config.gz is there, but compressed"));
  tree.write("/boot/config-" + release(),
             "CONFIG_HZ_250=y\nCONFIG_HZ=250\n# CONFIG_FUTEX_PRIVATE_HASH is not set");
  EXPECT_EQ(shown(tree, "hz"), "250");
  EXPECT_EQ(shown(tree, "futex_private_hash"), "not set");
  EXPECT_EQ(shown(tree, "futex_mpol"), "absent");
}

TEST(Environment, KernelConfigurationBesideTheModules) {
  FakeTree tree;
  tree.write("/lib/modules/" + release() + "/config", "CONFIG_HZ=1000");
  EXPECT_EQ(shown(tree, "hz"), "1000");
}

TEST(Environment, PreemptionModelFromTheBestSource) {
  FakeTree tree;
  const std::string config = "/boot/config-" + release();
  tree.write(config, "# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_VOLUNTARY=y");
  EXPECT_EQ(shown(tree, "preempt_model"), "voluntary");
  tree.write(config, "CONFIG_PREEMPT=y\nCONFIG_PREEMPT_DYNAMIC=y");
  EXPECT_EQ(shown(tree, "preempt_model"), "full (dynamic, as built)");
  tree.write("/proc/cmdline", "ro preempt=none quiet");
  EXPECT_EQ(shown(tree, "preempt_model"), "full (dynamic, as built; booted with preempt=none)");
  tree.write("/sys/kernel/debug/sched/preempt", "(none) voluntary full lazy");
  EXPECT_EQ(shown(tree, "preempt_model"), "none");
  tree.write("/sys/kernel/realtime", "1");
  EXPECT_EQ(shown(tree, "preempt_model"), "rt");
}

TEST(Environment, BootParameters) {
  FakeTree tree;
  tree.write("/proc/cmdline", "console=ttyS0 mitigations=off");
  EXPECT_EQ(shown(tree, "boot_parameters"), "console=ttyS0 mitigations=off");
}

TEST(Environment, CgroupFields) {
  FakeTree tree;
  tree.write("/proc/self/cgroup", "0::/a");
  tree.write("/proc/self/mountinfo", "31 25 0:28 / /cg rw - cgroup2 cgroup2 rw");
  tree.make_directory("/cg/a");
  EXPECT_EQ(shown(tree, "cgroup_cpu_quota"), "none");
  EXPECT_THAT(shown(tree, "cgroup_throttled"), StartsWith("unknown (no cpu.stat"));
  tree.write("/cg/a/cpu.max", "50000 100000");
  tree.write("/cg/a/cpu.stat", "nr_throttled 2\nthrottled_usec 99");
  tree.write("/cg/a/cpuset.cpus.effective", "0-1");
  EXPECT_EQ(shown(tree, "cgroup_cpu_quota"), "0.50 CPUs (50000 us in 100000 us, /cg/a)");
  EXPECT_EQ(shown(tree, "cgroup_throttled"), "2 periods, 99 us since the groups exist");
  EXPECT_EQ(shown(tree, "cgroup_cpuset"), "0-1");
}

TEST(Environment, PlainFiles) {
  FakeTree tree;
  struct Row {
    const char* key;
    const char* path;
  };
  for (const Row& row : {
           Row{"loadavg", "/proc/loadavg"},
           Row{"sched_autogroup", "/proc/sys/kernel/sched_autogroup_enabled"},
           Row{"sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"},
           Row{"sched_ext", "/sys/kernel/sched_ext/state"},
           Row{"numa_balancing", "/proc/sys/kernel/numa_balancing"},
           Row{"perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"},
           Row{"cpus_present", "/sys/devices/system/cpu/present"},
           Row{"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
       }) {
    tree.write(row.path, std::string("value of ") + row.key);
    EXPECT_EQ(shown(tree, row.key), std::string("value of ") + row.key);
  }
}

TEST(Environment, PressureAndHugePages) {
  FakeTree tree;
  tree.write("/proc/pressure/cpu", "some avg10=2.25 total=5\nfull avg10=0.00 total=0");
  tree.write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  EXPECT_EQ(shown(tree, "psi_cpu"), "some avg10=2.25 total=5");
  EXPECT_EQ(shown(tree, "transparent_hugepages"), "madvise");
}

TEST(Environment, ThreadLimits) {
  FakeTree tree;
  tree.write("/proc/sys/kernel/threads-max", "4242");
  EXPECT_THAT(shown(tree, "thread_limits"), HasSubstr("threads-max=4242"));
}

TEST(Environment, AddressRandomisation) {
  FakeTree tree;
  tree.write("/proc/sys/kernel/randomize_va_space", "2");
  const bool off = (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;  // as under setarch -R
  EXPECT_EQ(shown(tree, "aslr"), off ? "2 (off for this process)" : "2");
}

TEST(Environment, TimerSlackIsThatOfThisThread) {
  FakeTree tree;
  const int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  ASSERT_EQ(prctl(PR_SET_TIMERSLACK, 12345UL, 0, 0, 0), 0);
  const std::string text = shown(tree, "timer_slack_ns");
  prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before), 0, 0, 0);
  EXPECT_EQ(text, "12345");
}

TEST(Environment, SchedulingPolicyOfThisThread) {
  FakeTree tree;
  EXPECT_THAT(shown(tree, "sched_policy"), HasSubstr("priority"));
  EXPECT_THAT(shown(tree, "sched_policy"), HasSubstr("nice"));
}

TEST(Environment, BuildNamesCompilerAndSanitizer) {
  FakeTree tree;
#ifdef __clang__
  EXPECT_THAT(shown(tree, "compiler"), StartsWith("clang "));
#else
  EXPECT_THAT(shown(tree, "compiler"), StartsWith("g++ "));
#endif
#ifdef __SANITIZE_ADDRESS__
  EXPECT_EQ(shown(tree, "sanitizer"), "address");
#endif
  EXPECT_THAT(shown(tree, "libc"), StartsWith("glibc 2."));
}

TEST(Environment, WhatTheBuildDidNotRecordHasAReason) {
  for (const EnvironmentField& field : build_environment()) {
    EXPECT_NE(field.value, "unknown") << field.key;
  }
}

}  // namespace
}  // namespace futex_bench
