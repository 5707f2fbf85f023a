// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include <set>

#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Topology cpus(const std::vector<int>& ids) {
  std::vector<Cpu> list;
  for (const int id : ids) {
    Cpu cpu;
    cpu.id = cpu.core = id;
    list.push_back(cpu);
  }
  return Topology(std::move(list));
}

std::string release() {
  utsname names{};
  uname(&names);
  return names.release;
}

/// What the field with this key shows, "unknown (...)" included.
std::string text_of(const std::vector<EnvironmentField>& fields, const std::string& key) {
  for (const EnvironmentField& field : fields) {
    if (field.key == key) return field.text();
  }
  return "(no such field)";
}

std::string shown(const FakeTree& tree, const Topology& topology, const std::string& key) {
  return text_of(capture_environment(tree.root(), topology), key);
}

std::string shown(const FakeTree& tree, const std::string& key) {
  return shown(tree, cpus({0, 1}), key);
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

TEST(Environment, X86Guest) {
  FakeTree tree;
  tree.write("/proc/cpuinfo",
             "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Xeon(R)  9999\n"
             "stepping\t: 8\nmicrocode\t: 0x2b\ncpu MHz\t\t: 2000.000\n"
             "flags\t\t: fpu hypervisor sse\n\nprocessor\t: 1\nmodel name\t: other");
  tree.write("/sys/class/dmi/id/sys_vendor", "QEMU");
  tree.write("/sys/class/dmi/id/product_name", "Standard PC");
  EXPECT_EQ(shown(tree, "cpu_model"), "Xeon(R)  9999");
  EXPECT_EQ(shown(tree, "cpu_stepping"), "family 6 model 143 stepping 8");
  EXPECT_EQ(shown(tree, "microcode"), "0x2b");
  EXPECT_EQ(shown(tree, "freq_now"), "2000.000 MHz (first in /proc/cpuinfo)");
  EXPECT_EQ(shown(tree, "hypervisor"), "yes (QEMU Standard PC)");
  tree.write("/sys/hypervisor/type", "xen");
  EXPECT_EQ(shown(tree, "hypervisor"), "xen (QEMU Standard PC)");
}

TEST(Environment, X86WithoutHypervisor) {
  FakeTree tree;
  tree.write("/proc/cpuinfo", "flags\t\t: fpu no_hypervisor_here");
  EXPECT_EQ(shown(tree, "hypervisor"), "none");
  EXPECT_EQ(shown(tree, "cpu_model"), "unknown (/proc/cpuinfo does not say)");
}

TEST(Environment, ArmNamesImplementerAndPart) {
  FakeTree tree;
  tree.write("/proc/cpuinfo",
             "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
             "CPU revision\t: 1");
  EXPECT_EQ(shown(tree, "cpu_model"), "implementer 0x41 part 0xd0c");
  EXPECT_EQ(shown(tree, "cpu_stepping"), "variant 0x3 revision 1");
}

TEST(Environment, ProcessorSets) {
  FakeTree tree;
  tree.write("/sys/devices/system/cpu/possible", "0-1499");
  tree.write("/sys/devices/system/cpu/online", "0-3,5");
  tree.write("/sys/devices/system/cpu/isolated", "");
  tree.write("/sys/devices/system/cpu/nohz_full", "  (null)");
  EXPECT_EQ(shown(tree, "cpus_possible"), "0-1499");
  EXPECT_EQ(shown(tree, "cpus_online"), "0-3,5");
  EXPECT_EQ(shown(tree, "cpus_isolated"), "none");
  EXPECT_EQ(shown(tree, cpus({1, 2, 3, 5}), "cpus_allowed"), "1-3,5");
}

TEST(Environment, LayoutCountsTheAllowedProcessors) {
  FakeTree tree;
  std::vector<Cpu> list;
  for (int id = 0; id < 1500; ++id) {
    Cpu cpu;
    cpu.id = id;
    cpu.core = id / 2 * 2;
    cpu.llc = id / 100 * 100;
    cpu.node = id / 500;
    cpu.package = id / 750;
    list.push_back(cpu);
  }
  const auto fields = cpu_environment(tree.root(), Topology(list));
  EXPECT_EQ(text_of(fields, "cpus_allowed"), "0-1499");
  EXPECT_EQ(text_of(fields, "cores"), "750");
  EXPECT_EQ(text_of(fields, "last_level_caches"), "15");
  EXPECT_EQ(text_of(fields, "nodes"), "0-2");
  EXPECT_EQ(text_of(fields, "packages"), "2");
}

TEST(Environment, Smt) {
  FakeTree tree;
  tree.write("/sys/devices/system/cpu/smt/active", "1");
  EXPECT_EQ(shown(tree, "smt"), "on");
  tree.write("/sys/devices/system/cpu/smt/active", "0");
  tree.write("/sys/devices/system/cpu/smt/control", "notsupported");
  EXPECT_EQ(shown(tree, "smt"), "off (notsupported)");
}

TEST(Environment, CoreTypes) {
  FakeTree tree;
  std::vector<Cpu> list = cpus({0, 1, 2}).cpus();
  list[2].atom = true;
  EXPECT_EQ(shown(tree, Topology(list), "core_types"), "atom: 2; core: 0-1");
  for (Cpu& cpu : list) cpu = {.id = cpu.id, .core = cpu.id, .capacity = cpu.id < 2 ? 1024 : 400};
  EXPECT_EQ(shown(tree, Topology(list), "core_types"),
            "core of capacity 1024: 0-1; core of capacity 400: 2");
  list.pop_back();
  EXPECT_EQ(shown(tree, Topology(list), "core_types"), "all alike");
  EXPECT_THAT(shown(tree, cpus({0, 1}), "core_types"), StartsWith("unknown ("));
}

TEST(Environment, FrequencyOfAllowedProcessorsOnly) {
  FakeTree tree;
  for (int cpu = 0; cpu < 3; ++cpu) {
    tree.write(FakeTree::cpu(cpu, "cpufreq/scaling_governor"),
               cpu == 1 ? "powersave" : "schedutil");
    tree.write(FakeTree::cpu(cpu, "cpufreq/scaling_driver"), "acpi-cpufreq");
    tree.write(FakeTree::cpu(cpu, "cpufreq/scaling_max_freq"), "3600000");
    tree.write(FakeTree::cpu(cpu, "cpufreq/scaling_cur_freq"), cpu == 1 ? "801234" : "3600000");
  }
  EXPECT_EQ(shown(tree, cpus({0, 1, 2}), "governor"), "powersave: 1; schedutil: 0,2");
  EXPECT_EQ(shown(tree, cpus({0, 2}), "governor"), "schedutil");
  EXPECT_EQ(shown(tree, "freq_driver"), "acpi-cpufreq");
  EXPECT_EQ(shown(tree, "freq_max_khz"), "3600000");
  EXPECT_THAT(shown(tree, "freq_min_khz"), HasSubstr("scaling_min_freq: No such file"));
  EXPECT_EQ(shown(tree, cpus({0, 1}), "freq_now"), "801-3600 MHz");
  EXPECT_EQ(shown(tree, cpus({0, 2}), "freq_now"), "3600 MHz");
}

TEST(Environment, TurboFromEitherDriver) {
  FakeTree tree;
  tree.write("/sys/devices/system/cpu/cpufreq/boost", "1");
  EXPECT_EQ(shown(tree, "turbo"), "on");
  tree.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  EXPECT_EQ(shown(tree, "turbo"), "off");
}

TEST(Environment, IdleStates) {
  FakeTree tree;
  tree.write("/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle");
  tree.write("/sys/devices/system/cpu/cpuidle/current_governor_ro", "menu");
  tree.write(FakeTree::cpu(2, "cpuidle/state0/name"), "POLL");
  tree.write(FakeTree::cpu(2, "cpuidle/state1/name"), "C6");
  tree.write(FakeTree::cpu(2, "cpuidle/state1/latency"), "133");
  tree.write(FakeTree::cpu(2, "cpuidle/state1/disable"), "1");
  EXPECT_EQ(shown(tree, "idle_driver"), "intel_idle");
  EXPECT_EQ(shown(tree, "idle_governor"), "menu");
  EXPECT_EQ(shown(tree, cpus({2, 3}), "idle_states"), "POLL, C6 133 us disabled");
  EXPECT_THAT(shown(tree, cpus({3}), "idle_states"), HasSubstr("cpu3/cpuidle/state0/name"));
}

TEST(Environment, MitigationsInSummary) {
  FakeTree tree;
  const std::string directory = "/sys/devices/system/cpu/vulnerabilities/";
  tree.write(directory + "meltdown", "Not affected");
  tree.write(directory + "mds", "Not affected");
  tree.write(directory + "spectre_v1", "Mitigation: barriers");
  tree.write(directory + "retbleed", "Vulnerable: no microcode");
  tree.write(directory + "new", "Unknown: no mitigations");
  EXPECT_EQ(shown(tree, "mitigations"),
            "1 mitigated (spectre_v1); 2 not affected; 1 unclear (new); 1 vulnerable (retbleed)");
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
