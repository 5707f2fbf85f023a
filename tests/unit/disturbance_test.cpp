// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <map>

#include "common/system/clock.h"
#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::HasSubstr;

/// user nice system idle iowait irq softirq steal guest guest_nice, in 10 ms.
constexpr const char* kStat =
    "cpu  330 33 303 9000 9 50 60 21 7 0\n"
    "cpu0 100 10 100 3000 3 20 20 1 7 0\n"
    "cpu1 110 11 101 3000 3 20 20 5 0 0\n"
    "cpu3 120 12 102 3000 3 10 20 15 0 0\n"
    "intr 1 2 3\nctxt 4";

TEST(MachineCounters, SumsTheAllowedProcessors) {
  FakeTree tree;
  tree.write("/proc/stat", kStat);
  const MachineCounters counters = read_machine_counters(tree.root(), {1, 3});
  EXPECT_NEAR(*counters.busy_seconds, 1.10 + 0.11 + 1.01 + 1.20 + 0.12 + 1.02, 1e-9);
  EXPECT_NEAR(*counters.steal_seconds, 0.20, 1e-9);
  EXPECT_EQ(counters.rounded, 6U);
}

TEST(MachineCounters, AllProcessorsAreTheFirstLine) {
  FakeTree tree;
  tree.write("/proc/stat", kStat);
  const MachineCounters counters = read_machine_counters(tree.root(), {0, 1, 3});
  EXPECT_NEAR(*counters.busy_seconds, 3.30 + 0.33 + 3.03, 1e-9);
  EXPECT_EQ(counters.rounded, 3U);
}

TEST(MachineCounters, ReadsTheRest) {
  FakeTree tree;
  tree.write("/proc/pressure/cpu",
             "some avg10=1.00 avg60=0.00 avg300=0.00 total=1500000\n"
             "full avg10=0.00 avg60=0.00 avg300=0.00 total=7");
  tree.write("/proc/self/cgroup", "0::/a");
  tree.write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  tree.write("/sys/fs/cgroup/a/cpu.stat", "nr_throttled 12\nthrottled_usec 250000");
  tree.write(FakeTree::cpu(0, "thermal_throttle/core_throttle_count"), "3");
  tree.write(FakeTree::cpu(1, "thermal_throttle/core_throttle_count"), "4");
  const MachineCounters counters = read_machine_counters(tree.root(), {0, 1});
  EXPECT_EQ(counters.pressure_seconds, 1.5);
  EXPECT_EQ(counters.throttled_periods, 12U);
  EXPECT_EQ(counters.throttled_seconds, 0.25);
  EXPECT_EQ(counters.thermal_throttles, 7U);
}

TEST(MachineCounters, NeedsNoFile) {
  FakeTree tree;
  const MachineCounters counters = read_machine_counters(tree.root(), {0});
  EXPECT_FALSE(counters.busy_seconds || counters.steal_seconds || counters.throttled_periods ||
               counters.pressure_seconds || counters.thermal_throttles);
  EXPECT_GT(counters.monotonic_seconds, 0);
  EXPECT_GT(counters.reading_seconds, 0);
  const Disturbance d = between(counters, counters, {}, {}, 1, 0.004);
  EXPECT_TRUE(std::isnan(d.foreign_cpu_seconds) && std::isnan(d.steal_seconds) &&
              std::isnan(d.throttled_periods) && std::isnan(d.thermal_throttles));
  EXPECT_EQ(disturbance_words(d, 0.2, 0.2), "");
}

TEST(MachineCounters, ABrokenFileTellsNothing) {
  FakeTree tree;
  tree.write("/proc/stat", "cpu  1 2 3\ncpu0 x y z");
  tree.write("/proc/pressure/cpu", "some avg10=1.00");
  const MachineCounters counters = read_machine_counters(tree.root(), {0});
  EXPECT_FALSE(counters.busy_seconds || counters.pressure_seconds);
}

/// A trial of 0.2 s on two processors at HZ=250, of which ours used `own` seconds and /proc/stat
/// counted `busy`.
Disturbance trial(double own, double busy, double steal = 0) {
  MachineCounters before;
  before.busy_seconds = 100;
  before.steal_seconds = 5;
  before.throttled_periods = 2;
  before.throttled_seconds = 1;
  before.rounded = 3;
  MachineCounters after = before;
  after.monotonic_seconds += 0.2;
  *after.busy_seconds += busy;
  *after.steal_seconds += steal;
  return between(before, after, {.cpu_seconds = 7}, {.cpu_seconds = 7 + own}, 2, 0.004);
}

std::string words(const Disturbance& d) { return disturbance_words(d, 0.2, 0.2); }

TEST(Disturbance, ErrorsAreThoseOfTheArithmetic) {
  EXPECT_NEAR(trial(0.4, 0.4).foreign_error_seconds, 0.021, 0.001);
  EXPECT_NEAR(trial(0.3, 0.3).foreign_error_seconds, 0.056, 0.001);
  EXPECT_NEAR(trial(0.1, 0.1).foreign_error_seconds, 0.056, 0.001);
  EXPECT_NEAR(trial(0.4, 0.4).steal_error_seconds, 0.01, 1e-9);
}

TEST(Disturbance, ABusyProcessIsNamedWithWhatItTook) {
  EXPECT_EQ(words(trial(0.3, 0.4)), "other processes used 0.50 of 2 CPUs");
  EXPECT_EQ(words(trial(0.2, 0.4)), "other processes used 1.00 of 2 CPUs");
}

TEST(Disturbance, WhatTicksCannotTellIsNot) {
  EXPECT_EQ(words(trial(0.39, 0.42)), "");  // three roundings
  EXPECT_EQ(words(trial(0.30, 0.35)), "");  // twelve ticks of 4 ms
  EXPECT_EQ(words(trial(0.40, 0.38)), "");  // fewer than ours alone
}

TEST(Disturbance, WhatTicksChargeTooLittleIsKeptSoThatErrorsCancelInSums) {
  EXPECT_NEAR(trial(0.40, 0.38).foreign_cpu_seconds, -0.02, 1e-9);
}

// What a full machine makes of a trial of ten milliseconds, as its counters are read long after.
TEST(Disturbance, NobodyUsesMoreThanTheProcessorsHave) {
  EXPECT_NEAR(trial(0.0, 0.6).foreign_cpu_seconds, 0.4, 1e-9);
  EXPECT_EQ(words(trial(0.0, 0.6)), "other processes used 2.00 of 2 CPUs");
  MachineCounters before;
  before.busy_seconds = 0;
  MachineCounters after;
  after.monotonic_seconds = 0.01;
  after.reading_seconds = 0.09;
  after.busy_seconds = 0.1;
  const Disturbance d = between(before, after, {}, {}, 2, 0.004);
  EXPECT_NEAR(d.wall_seconds, 0.1, 1e-9);
  EXPECT_NEAR(d.foreign_cpu_seconds, 0.1, 1e-9);
}

TEST(Disturbance, StealCountsFromOnePercentBeyondItsRounding) {
  EXPECT_EQ(words(trial(0.4, 0.4, 0.01)), "");
  EXPECT_EQ(words(trial(0.4, 0.4, 0.02)), "the hypervisor took 5.0 % (steal)");
}

TEST(Disturbance, ThrottlingHeatAndSuspendAreNamed) {
  Disturbance d = trial(0.4, 0.4);
  d.throttled_periods = 2;
  d.throttled_seconds = 0.093;
  EXPECT_EQ(words(d), "throttled by the cgroup quota: 2 times, 93 ms");
  d.thermal_throttles = 3;
  d.suspended_seconds = 61;
  EXPECT_THAT(words(d), HasSubstr(", slowed down by heat 3 times (thermal), the machine was "
                                  "suspended for 61.0 s"));
}

TEST(Disturbance, AStopIsToldFromALateEndOfABusyTrial) {
  const Disturbance stopped = trial(0.4, 0.4);
  EXPECT_EQ(disturbance_words(stopped, 0.2, 0.23), "");
  EXPECT_EQ(disturbance_words(stopped, 0.01, 0.025), "") << "a late wake-up";
  EXPECT_EQ(disturbance_words(stopped, 0.2, 1.5),
            "took 1.50 s instead of 0.20 s (stopped, or kept from the CPU)");
  Disturbance busy = stopped;
  busy.own_cpu_seconds = 3;
  EXPECT_EQ(disturbance_words(busy, 0.2, 1.5), "");
  EXPECT_EQ(disturbance_words(stopped, std::nullopt, 1.5), "");
}

TEST(Disturbance, FiguresHaveTheirNames) {
  std::map<std::string, double> figures;
  for (const auto& [name, value] : trial(0.3, 0.4, 0.02).figures()) figures[name] = value;
  EXPECT_NEAR(figures.at("window_seconds"), 0.2, 1e-9);
  EXPECT_NEAR(figures.at("foreign_cpu_seconds"), 0.1, 1e-9);
  EXPECT_NEAR(figures.at("own_cpu_seconds"), 0.3, 1e-9);
  EXPECT_NEAR(figures.at("steal_seconds"), 0.02, 1e-9);
  EXPECT_NEAR(figures.at("foreign_error_seconds"), 0.056, 0.001);
  EXPECT_NEAR(figures.at("steal_error_seconds"), 0.01, 1e-9);
  EXPECT_EQ(figures.at("cpus"), 2);
  EXPECT_EQ(figures.at("throttled_periods"), 0);
  EXPECT_TRUE(std::isnan(figures.at("pressure_seconds")));
}

TEST(OwnUsage, CountsAChildThatIsGone) {
  const OwnUsage before = read_own_usage();
  const pid_t child = fork();
  if (child == 0) {
    while (process_cpu_times().user_seconds + process_cpu_times().system_seconds < 0.03) {
    }
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_GE(read_own_usage().cpu_seconds - before.cpu_seconds, 0.029);
}

TEST(TickSeconds, IsAKernelsHz) {
  EXPECT_GE(tick_seconds(), 1.0 / 1200);  // Alpha has 1024
  EXPECT_LE(tick_seconds(), 1.0 / 99);
}

}  // namespace
}  // namespace futex_bench
