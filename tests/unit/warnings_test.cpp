// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "futex-bench/report/warning_text.h"
#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::lock_point;
using samples::lock_run;
using samples::nine;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Fields = std::map<std::string, std::string>;

std::vector<EnvironmentField> environment(const Fields& values) {
  std::vector<EnvironmentField> fields;
  for (const auto& [key, value] : values) fields.push_back({key, key, value, ""});
  return fields;
}

std::vector<Warning> warnings(const Fields& values, const MachineFacts& facts = {}) {
  return environment_warnings(environment(values), facts);
}

std::vector<std::string> ids(const std::vector<Warning>& list) {
  std::vector<std::string> names;
  for (const Warning& warning : list) names.push_back(warning.id);
  return names;
}

/// A machine with nothing to complain of.
const Fields kGood = {{"governor", "performance"},     {"turbo", "off"},
                      {"freq_driver", "intel_pstate"}, {"freq_min_khz", "2000000"},
                      {"freq_max_khz", "2000000"},     {"cpus_allowed", "0-3"},
                      {"cpus_online", "0-3"},          {"cgroup_cpu_quota", "none"},
                      {"core_types", "all alike"},     {"hypervisor", "none (Vendor)"},
                      {"clocksource", "tsc"},          {"build_flags", "-std=c++20 -O2"},
                      {"sanitizer", "none"},           {"nodes", "0-1"},
                      {"numa_balancing", "0"},         {"timer_slack_ns", "1"}};
const Remedies kRemedies = {.longer_trials = "more --work", .fixed_placement = "--here or --there"};
const MachineFacts kFacts = {.allowed_cpus = 4, .clock_cost_ns = 20, .cpus_allowed_after = "0-3"};

TEST(EnvironmentWarnings, NoneForAGoodMachineAndForAnUnknownOne) {
  EXPECT_THAT(ids(warnings(kGood, kFacts)), IsEmpty());
  EXPECT_THAT(ids(warnings({}, {})), IsEmpty());
  std::vector<EnvironmentField> unknown = environment(kGood);
  for (EnvironmentField& field : unknown) field.value.reset();
  EXPECT_THAT(ids(environment_warnings(unknown, kFacts)), IsEmpty());
}

struct Case {
  const char* key;
  const char* value;
  const char* id;
  const char* text;
  const char* fix;
};

class EachField : public testing::TestWithParam<Case> {};

TEST_P(EachField, IsWarnedOfWithCauseAndFix) {
  Fields fields = kGood;
  fields[GetParam().key] = GetParam().value;
  const std::vector<Warning> list = warnings(fields, kFacts);
  ASSERT_THAT(ids(list), ElementsAre(GetParam().id));
  EXPECT_THAT(list[0].text, HasSubstr(GetParam().text));
  EXPECT_THAT(list[0].fix, HasSubstr(GetParam().fix));
}

INSTANTIATE_TEST_SUITE_P(
    All, EachField,
    testing::Values(
        Case{"governor", "powersave", "governor", "is powersave", "frequency-set -g performance"},
        Case{"turbo", "on", "turbo", "turbo is on", "tee /sys/devices/system/cpu/intel_pstate"},
        Case{"freq_min_khz", "800000", "freq-range", "from 800000 to 2000000 kHz",
             "-d 2000000kHz -u 2000000kHz"},
        Case{"cpus_allowed", "0-1", "affinity", "0-1 of 0-3", "taskset -c 0-3"},
        Case{"cgroup_cpu_quota", "0.50 CPUs (50000 us in 100000 us, /sys/fs/cgroup/a)", "quota",
             "0.50 CPUs", "echo max | sudo tee /sys/fs/cgroup/a/cpu.max"},
        Case{"cgroup_cpu_quota", "2.00 CPUs (1 us in 1 us, /sys/fs/cgroup/cpu/a)", "quota",
             "of 4 CPUs", "echo -1 | sudo tee /sys/fs/cgroup/cpu/a/cpu.cfs_quota_us"},
        Case{"core_types", "atom: 2-3; core: 0-1", "mixed-cores", "atom: 2-3", "taskset -c"},
        Case{"hypervisor", "yes (QEMU)", "vm", "yes (QEMU)", "steal"},
        Case{"clocksource", "hpet", "clocksource", "(hpet) costs 20 ns", "echo tsc"},
        Case{"build_flags", "-std=c++20 -O0 -g", "debug-build", "-O0", "make"},
        Case{"sanitizer", "thread", "sanitizer", "thread sanitizer", "make"},
        Case{"numa_balancing", "1", "numa-balancing", "nodes 0-1", "tee /proc/sys/kernel"},
        Case{"timer_slack_ns", "50000", "timer-slack", "50 us", "chrt"}));

TEST(EnvironmentWarnings, WhatDependsOnASecondFieldLooksAtIt) {
  Fields fields = kGood;
  fields["nodes"] = "0";
  fields["numa_balancing"] = "1";
  EXPECT_THAT(ids(warnings(fields, kFacts)), IsEmpty()) << "one node has nothing to balance";
  fields = kGood;
  fields["cgroup_cpu_quota"] = "4.00 CPUs (4 us in 1 us, /a)";
  EXPECT_THAT(ids(warnings(fields, kFacts)), IsEmpty()) << "as many as may be used";
  fields = kGood;
  fields["cpus_allowed"] = "0-1";
  fields["cgroup_cpuset"] = "0-1";
  EXPECT_THAT(warnings(fields, kFacts)[0].fix, Not(HasSubstr("taskset"))) << "would be refused";
  fields = kGood;
  fields["turbo"] = "on";
  fields["freq_driver"] = "acpi-cpufreq";
  EXPECT_THAT(warnings(fields, kFacts)[0].fix, HasSubstr("cpufreq/boost"));
  EXPECT_THAT(
      ids(warnings(kGood, {.allowed_cpus = 4, .clock_cost_ns = 400, .cpus_allowed_after = ""})),
      ElementsAre("clocksource"));
}

TEST(Warnings, SomeAreOnlyInformation) {
  for (const char* id : {"vm", "oversubscribed", "smt", "timer-slack"}) {
    EXPECT_TRUE(is_information(id)) << id;
  }
  for (const char* id : {"governor", "steal", "busy", "unstable", ""}) {
    EXPECT_FALSE(is_information(id)) << id;
  }
}

TEST(PlanWarnings, NameThreadCountsThatDoNotFit) {
  const RunResult result = lock_run(
      {lock_point("wait", 4, nine()), lock_point("wait", 8, nine()), lock_point("spin", 8, {})});
  const auto list = plan_warnings(result, kFacts);
  ASSERT_THAT(ids(list), ElementsAre("oversubscribed"));
  EXPECT_THAT(list[0].text, HasSubstr("8 threads share 4 CPUs"));
}

TEST(PlanWarnings, CompactPlacementSharesCoresOnlyWithSmt) {
  PointSamples point = lock_point("wait", 2, nine());
  point.key.parameters = {{"placement", "compact"}};
  RunResult result = lock_run({point});
  EXPECT_THAT(ids(plan_warnings(result, kFacts)), IsEmpty());
  result.environment = environment({{"smt", "on"}});
  EXPECT_THAT(ids(plan_warnings(result, kFacts)), ElementsAre("smt"));
}

/// Nine trials of 0.2 s on two processors, the second of which had `figure`.
RunResult run_with(const std::string& figure, double value, bool disturbed) {
  PointSamples point = lock_point("wait", 2, nine());
  for (TrialSample& trial : point.trials) {
    trial.circumstances = {{"window_seconds", 0.2}, {"cpus", 2}, {"steal_seconds", samples::kNaN}};
  }
  point.trials[1].circumstances = {{"window_seconds", 0.2}, {"cpus", 2}, {figure, value}};
  point.trials[1].disturbed = disturbed;
  if (disturbed) point.trials[1].note = "the reason";
  return lock_run({point});
}

TEST(RunWarnings, NoneForAQuietRun) {
  EXPECT_THAT(ids(run_warnings(run_with("steal_seconds", 0.01, false), kFacts, kRemedies)),
              IsEmpty());
  EXPECT_THAT(ids(run_warnings(lock_run({lock_point("wait", 2, nine())}), kFacts, kRemedies)),
              IsEmpty());
}

TEST(RunWarnings, NameWhatDisturbed) {
  const auto list = [](const std::string& figure, double value) {
    return run_warnings(run_with(figure, value, true), kFacts, kRemedies);
  };
  EXPECT_THAT(ids(list("steal_seconds", 0.1)), ElementsAre("steal", "disturbed"));
  EXPECT_THAT(list("steal_seconds", 0.1)[0].text, HasSubstr("2.8 % of the CPU time, 22.5 %"));
  EXPECT_THAT(ids(list("foreign_cpu_seconds", 0.1)), ElementsAre("busy", "disturbed"));
  EXPECT_THAT(list("foreign_cpu_seconds", 0.1)[0].text, HasSubstr("0.06 of 2 CPUs, 0.45 in"));
  EXPECT_THAT(ids(list("throttled_periods", 3)), ElementsAre("throttled", "disturbed"));
  EXPECT_THAT(ids(list("thermal_throttles", 3)), ElementsAre("thermal", "disturbed"));
  EXPECT_THAT(ids(list("suspended_seconds", 3)), ElementsAre("suspended", "disturbed"));
}

/// One look of `window` seconds at two processors, of `figure` and what that may be wrong by.
std::vector<Warning> one_look(double window, const std::string& figure, double value,
                              double error) {
  const std::string error_name = figure.substr(0, figure.find('_')) + "_error_seconds";
  const std::vector<std::pair<std::string, double>> figures = {
      {"window_seconds", window}, {"cpus", 2}, {"foreign_cpu_seconds", 0}, {figure, value},
      {error_name, error},
  };
  std::vector<std::pair<std::string, double>> seen;
  for (const auto& item : figures) {
    std::erase_if(seen, [&](const auto& other) { return other.first == item.first; });
    seen.push_back(item);
  }
  const std::vector<Circumstances> look = {{seen, false}};
  return circumstance_warnings(look, {});
}

TEST(RunWarnings, ShortLooksAreNotBlamedForTheRoundingOfTheKernel) {
  EXPECT_THAT(ids(one_look(0.5, "steal_seconds", 0.02, 0.01)), IsEmpty());
  EXPECT_THAT(ids(one_look(0.5, "steal_seconds", 0.03, 0.01)), ElementsAre("steal"));
  EXPECT_THAT(ids(one_look(0.5, "foreign_cpu_seconds", 0.07, 0.021)), IsEmpty());
  EXPECT_THAT(ids(one_look(0.5, "foreign_cpu_seconds", 0.08, 0.021)), ElementsAre("busy"));
  EXPECT_THAT(ids(one_look(0.004, "foreign_cpu_seconds", 0.01, 0.021)), IsEmpty());
}

TEST(RunWarnings, AMachineThatCannotBeWatchedIsNotCalledQuiet) {
  EXPECT_THAT(ids(one_look(0.5, "foreign_cpu_seconds", samples::kNaN, samples::kNaN)),
              ElementsAre("unwatched"));
}

TEST(RunWarnings, ErrorsOfManyTrialsCancel) {
  std::vector<std::pair<std::string, double>> more = {{"window_seconds", 0.01},
                                                      {"cpus", 2},
                                                      {"foreign_cpu_seconds", 0.008},
                                                      {"foreign_error_seconds", 0.021}};
  std::vector<std::pair<std::string, double>> less = more;
  less[2].second = -0.008;
  std::vector<Circumstances> trials;
  for (int i = 0; i < 50; ++i) {
    trials.push_back({more, false});
    trials.push_back({less, false});
  }
  EXPECT_THAT(ids(circumstance_warnings(trials, {})), IsEmpty());
  for (Circumstances& trial : trials) trial.figures = more;
  const auto list = circumstance_warnings(trials, {});
  ASSERT_THAT(ids(list), ElementsAre("busy"));
  EXPECT_EQ(list[0].text, "other processes used 0.80 of 2 CPUs") << "no trial was found disturbed";
}

TEST(RunWarnings, SayWhetherFiguresRestOnDisturbedTrials) {
  RunResult result = run_with("steal_seconds", 0.1, true);
  EXPECT_THAT(run_warnings(result, kFacts, kRemedies)[1].text,
              HasSubstr("1 of 9 trials were disturbed (first: the reason); 1 round of a point had "
                        "no other and rests on a disturbed trial"));
  result.points[0].trials.push_back(samples::lock_trial(1, 20000));
  EXPECT_THAT(run_warnings(result, kFacts, kRemedies)[1].text, HasSubstr("no figure rests on"));
}

TEST(RunWarnings, ChangedProcessorsAreNamed) {
  RunResult result = lock_run({lock_point("wait", 2, nine())});
  result.environment = environment({{"cpus_allowed", "0-7"}});
  const auto list = run_warnings(result, kFacts, kRemedies);
  ASSERT_THAT(ids(list), ElementsAre("migrated"));
  EXPECT_THAT(list[0].text, HasSubstr("from 0-7 to 0-3"));
}

TEST(RunWarnings, VerdictsNameTheirPoints) {
  const std::vector<double> unstable = {100, 80, 120, 90, 110, 70, 130, 85, 115};
  const std::vector<double> two = {150, 101, 100, 101, 100, 151, 150, 151, 150};
  std::vector<double> slow = nine();
  slow[0] = 10000;
  RunResult result =
      lock_run({lock_point("a", 1, unstable), lock_point("b", 2, two), lock_point("c", 3, slow)});
  const auto list = run_warnings(result, kFacts, kRemedies);
  EXPECT_THAT(ids(list), Contains("unstable"));
  EXPECT_THAT(ids(list), Contains("bimodal"));
  EXPECT_THAT(ids(list), Contains("slow-first"));
  const auto text = [&](std::string_view id) {
    for (const Warning& warning : list) {
      if (warning.id == id) return warning.text;
    }
    return std::string();
  };
  EXPECT_THAT(text("unstable"), HasSubstr("a, 1 thread: 15.0 %"));
  EXPECT_THAT(text("bimodal"), HasSubstr("(b, 2 threads: 100.5 and 150)"));
  EXPECT_THAT(text("slow-first"), HasSubstr("(c, 3 threads)"));
}

TEST(RunWarnings, ShortTrialsByTimeAndByOperations) {
  const auto short_run = [](double wall, double rate) {
    PointSamples point = lock_point("wait", 2, {rate, rate, rate});
    for (TrialSample& trial : point.trials) trial.values[3] = wall;
    return ids(run_warnings(lock_run({point}), kFacts, kRemedies));
  };
  EXPECT_THAT(short_run(0.009, 1e6), ElementsAre("short-run"));
  EXPECT_THAT(short_run(0.1, 9.9), ElementsAre("short-run"));
  EXPECT_THAT(short_run(0.1, 10.1), IsEmpty());
}

TEST(RunWarnings, ThreadsThatDidNotOverlap) {
  PointSamples point = lock_point("wait", 64, nine());
  for (TrialSample& trial : point.trials) trial.values[12] = 0.5;
  RunResult result = lock_run({point});
  EXPECT_THAT(ids(run_warnings(result, kFacts, kRemedies)), ElementsAre("not-overlapping"));
  EXPECT_EQ(run_warnings(result, kFacts, kRemedies)[0].fix, "more --work");
}

TEST(PrecisionWarning, NamesThePointsAndWhatEndedIt) {
  const RunResult result =
      lock_run({lock_point("wait", 1, nine()), lock_point("wait", 64, nine())});
  EXPECT_EQ(precision_warning(result, {1}, 0.5, false, kRemedies).text,
            "1 of 2 points did not reach +-0.5% within --max-repeat rounds (wait, 64 threads: "
            "+-1.2%)");
  EXPECT_EQ(precision_warning(result, {1}, 0.5, false, kRemedies).fix,
            "a larger --max-repeat, or more --work");
  EXPECT_THAT(precision_warning(result, {1}, 0.5, true, kRemedies).text,
              HasSubstr("within --max-time"));
}

TEST(WarningText, IsOneLineWithIdAndFix) {
  EXPECT_EQ(warning_text({"id", "the\ncause", "do this"}), "[id] the cause; fix: do this");
  EXPECT_EQ(warning_text({"id", "cause", ""}), "[id] cause");
}

TEST(WarningText, OfManyItemsThreeAreShown) {
  EXPECT_EQ(some_of({"a", "b", "c"}), "a; b; c");
  EXPECT_EQ(some_of({"a", "b", "c", "d", "e"}), "a; b; c and 2 more");
}

}  // namespace
}  // namespace futex_bench
