// SPDX-License-Identifier: GPL-2.0-only
// The processors of the environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/environment_fields.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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

}  // namespace
}  // namespace futex_bench
