// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/system/error.h"
#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool warns(const DoctorReport& report, const std::string& id) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const Warning& warning) { return warning.id == id; });
}

TEST(Doctor, FindsWhatIsWrongWithAMadeUpMachine) {
  FakeTree tree;
  for (int cpu = 0; cpu < 256; ++cpu) {
    tree.write(FakeTree::cpu(cpu, "cpufreq/scaling_governor"), "powersave");
  }
  tree.write("/proc/self/cgroup", "0::/a");
  tree.write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  tree.write("/sys/fs/cgroup/a/pids.max", "100");
  tree.write("/sys/fs/cgroup/a/pids.current", "10");
  const DoctorReport report = examine(tree.root());
  EXPECT_TRUE(warns(report, "governor"));
  EXPECT_TRUE(warns(report, "thread-limit"));
  EXPECT_THAT(report.limit_below, HasSubstr("pids.max=100 (in use 10)"));
  EXPECT_FALSE(report.is_quiet());
  // A tree without /proc/stat says nothing about others: neither that it is busy nor that it is quiet.
  EXPECT_EQ(report.disturbed, "");
  EXPECT_FALSE(warns(report, "busy"));
  EXPECT_TRUE(warns(report, "unwatched"));
  EXPECT_THAT(doctor_text(report), HasSubstr("\n  cannot tell whether others disturb\n"));
  EXPECT_THAT(doctor_text(report), Not(HasSubstr("quiet")));
}

TEST(Doctor, LooksAtTheRealMachine) {
  const DoctorReport report = examine("/");
  EXPECT_FALSE(report.environment.empty());
  EXPECT_FALSE(report.capabilities.empty());
  const auto wall = std::find_if(report.look.begin(), report.look.end(), [](const auto& figure) {
    return figure.first == "window_seconds";
  });
  ASSERT_NE(wall, report.look.end());
  EXPECT_GE(wall->second, kDoctorLookSeconds);
}

TEST(Doctor, RefusesFormatsItDoesNotHave) {
  GlobalOptions global;
  global.format = "csv";
  EXPECT_THROW(doctor(global), UsageError);
}

DoctorReport sample() {
  DoctorReport report;
  report.environment = {{"kernel", "kernel", "6.1", ""}, {"turbo", "turbo", {}, "no file"}};
  report.capabilities = {{"FUTEX_WAIT", "Linux 2.6", ""},
                         {"futex_waitv", "Linux 5.16", "ENOSYS: needs Linux 5.16"}};
  report.threads = 1024;
  report.limits = "pids.max=100";
  report.look_seconds = 0.5;
  report.look = {{"window_seconds", 0.5}, {"cpus", 2}, {"foreign_cpu_seconds", 0.25}};
  report.warnings = {{"vm", "a guest", ""}};
  return report;
}

TEST(DoctorReport, InformationLeavesAMachineQuiet) {
  DoctorReport report = sample();
  EXPECT_TRUE(report.is_quiet());
  report.warnings.push_back({"busy", "others", "stop them"});
  EXPECT_FALSE(report.is_quiet());
}

TEST(DoctorReport, TextSaysEverything) {
  DoctorReport report = sample();
  std::string text = doctor_text(report);
  for (const char* part :
       {"kernel  6.1\n", "turbo   unknown (no file)\n", "FUTEX_WAIT   yes  since Linux 2.6\n",
        "futex_waitv  no   ENOSYS: needs Linux 5.16\n", "1024 threads fit all limits",
        "0.50 of 2 CPUs used, - s stolen", "  quiet\n", "  note [vm] a guest\n", "all well"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  report.limit_below = "pids.max=100";
  report.disturbed = "other processes used 0.50 of 2 CPUs";
  report.warnings.push_back({"busy", "others", "stop them"});
  text = doctor_text(report);
  for (const char* part : {"1024 threads do not fit: pids.max=100", "disturbed: other processes",
                           "  WARN [busy] others\n       fix: stop them\n", "  1 warning\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("all well")));
}

TEST(DoctorReport, JsonHasNullForWhatIsNotKnown) {
  const std::string text = doctor_json(sample());
  for (const char* part : {"\"limit_below\": null", "\"disturbed\": null", "\"available\": false",
                           "\"value\": null", "\"quiet\": true", "\"foreign_cpu_seconds\": 0.25"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace futex_bench
