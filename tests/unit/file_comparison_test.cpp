// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/file_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/system/error.h"
#include "futex-bench/report/file_comparison_tables.h"
#include "futex-bench/report/file_differences.h"
#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::lock_point;
using samples::lock_run;
using samples::nine;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

ResultFile file(const std::string& name, std::vector<PointSamples> points) {
  return {name, lock_run(std::move(points))};
}

/// The metric of the first point in the lock run, renamed and turned round.
void set_direction(ResultFile& file, Direction direction) {
  file.result.metrics.front().direction = direction;
}

FileComparisons compare(const ResultFile& base, const std::vector<ResultFile>& changed,
                        const FileComparisonOptions& options = {}) {
  return compare_files(base, changed, options);
}

std::string refusal(const ResultFile& base, const ResultFile& changed,
                    const FileComparisonOptions& options = {}) {
  try {
    compare(base, {changed}, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string all_notes(const FileComparisons& all) {
  std::string text;
  for (const std::string& note : closing_notes(all)) text += note + "\n";
  return text;
}

TEST(FileComparison, WordsFollowTheDirectionOfTheMetric) {
  for (const auto& [direction, up, down] :
       {std::tuple{Direction::kHigherIsBetter, Difference::kFaster, Difference::kSlower},
        std::tuple{Direction::kLowerIsBetter, Difference::kSlower, Difference::kFaster},
        std::tuple{Direction::kNeutral, Difference::kHigher, Difference::kLower}}) {
    ResultFile base = file("base", {lock_point("wait", 1, nine()), lock_point("wait", 2, nine())});
    std::vector<ResultFile> changed{file("new", {lock_point("wait", 1, times(nine(), 1.25)),
                                                 lock_point("wait", 2, times(nine(), 0.8))})};
    set_direction(base, direction);
    set_direction(changed[0], direction);
    const FileComparisons all = compare(base, changed);
    const auto& rows = all.files.at(0).rows;
    ASSERT_EQ(rows.size(), 2);
    EXPECT_EQ(rows[0].difference, up);
    EXPECT_EQ(rows[1].difference, down);
    EXPECT_NEAR(rows[0].shift.ratio, 1.25, 1e-9);
    EXPECT_NEAR(rows[1].shift.ratio, 0.8, 1e-9);
    EXPECT_EQ(all.tests, 2);
  }
}

TEST(FileComparison, SaysWhichDifferenceWouldHaveBeenShown) {
  const ResultFile base = file("base", {lock_point("wait", 1, nine())});
  const std::vector<ResultFile> changed{file("new", {lock_point("wait", 1, nine())})};
  const FileComparisons all = compare(base, changed);
  const FileComparisonRow& row = all.files[0].rows[0];
  EXPECT_EQ(row.difference, Difference::kNotShown);
  EXPECT_NEAR(row.detectable, smallest_detectable_ratio(nine(), nine(), 0.95), 1e-12);
  EXPECT_THAT(
      row_words(row),
      testing::MatchesRegex("no difference shown \\([12]\\.[0-9]% or more would have been\\)"));
}

TEST(FileComparison, AdjustsOverTheRowsOfAllFiles) {
  // Alone this difference is shown (p = 0.0286 of 4 against 4), among two no more.
  const std::vector<double> low{1, 2, 3, 4};
  const std::vector<double> high{5, 6, 7, 8};
  const ResultFile base = file("base", {lock_point("wait", 1, low)});
  const ResultFile other = file("new", {lock_point("wait", 1, high)});
  const std::vector<ResultFile> one{other};
  const std::vector<ResultFile> two{other, other};
  const FileComparisons alone = compare(base, one);
  EXPECT_EQ(alone.files[0].rows[0].difference, Difference::kFaster);
  EXPECT_TRUE(alone.can_show);
  EXPECT_EQ(alone.trials_needed, 4);
  const FileComparisons both = compare(base, two);
  EXPECT_EQ(both.tests, 2);
  EXPECT_EQ(both.files[0].rows[0].difference, Difference::kNotShown);
  EXPECT_NEAR(both.files[1].rows[0].p_adjusted, 2 * 2 / 70.0, 1e-9);
  EXPECT_FALSE(both.can_show);
  EXPECT_EQ(both.trials_needed, 5);
  EXPECT_THAT(row_words(both.files[0].rows[0]), HasSubstr("too few trials to show any"));
  EXPECT_THAT(all_notes(both), HasSubstr("--repeat 5"));
}

TEST(FileComparison, LeavesDisturbedTrialsOutWhereEnoughRemain) {
  PointSamples few = lock_point("wait", 1, nine());
  for (std::size_t i = 0; i < 3; ++i) few.trials[i].disturbed = true;
  for (std::size_t i = 0; i < 3; ++i) few.trials[i].values[0] = 1;
  PointSamples many = lock_point("wait", 1, nine());
  for (std::size_t i = 0; i < 4; ++i) many.trials[i].disturbed = true;
  const ResultFile base = file("base", {few});
  const std::vector<ResultFile> changed{file("new", {many})};
  const FileComparisons all = compare(base, changed);
  const FileComparisonRow& row = all.files[0].rows[0];
  EXPECT_TRUE(row.base.disturbed_left_out);
  EXPECT_EQ(row.base.values.size(), 6);
  EXPECT_THAT(row.base.values, testing::Each(testing::Gt(1.0)));
  EXPECT_FALSE(row.changed.disturbed_left_out);
  EXPECT_EQ(row.changed.values.size(), 9);
  EXPECT_THAT(
      trial_notes(all.files[0]),
      ElementsAre("wait, 1 thread, base: 3 of 9 trials disturbed and left out.",
                  "wait, 1 thread, new: 4 of 9 trials disturbed but used: fewer than 6 others."));
}

TEST(FileComparison, OneTrialPerRoundAnUndisturbedOneIfThereIs) {
  PointSamples again = lock_point("wait", 1, nine());
  again.trials[2].disturbed = true;
  again.trials.push_back(samples::lock_trial(2, 4711));
  again.trials.push_back(samples::lock_trial(2, 1));
  again.trials.back().disturbed = true;
  const ResultFile base = file("base", {again});
  const std::vector<ResultFile> changed{file("new", {lock_point("wait", 1, nine())})};
  const FileComparisons all = compare(base, changed);
  const ComparedTrials& trials = all.files[0].rows[0].base;
  ASSERT_EQ(trials.values.size(), 9);
  EXPECT_EQ(trials.values[2], 4711);
  EXPECT_EQ(trials.disturbed, 0);
}

TEST(FileComparison, NamesPointsWithoutPartnerAndWithoutData) {
  PointSamples skipped = lock_point("spin", 1, {});
  skipped.skipped = "ENOSYS";
  PointSamples broken = lock_point("spin", 2, {});
  broken.trials = {samples::failed_trial(0, "created 1 of 2 threads")};
  PointSamples with_hold = lock_point("wait", 1, nine());
  with_hold.key.parameters = {{"hold_ns", "50"}};
  const ResultFile base =
      file("a.json", {lock_point("wait", 1, nine()), lock_point("spin", 1, nine()), broken});
  const std::vector<ResultFile> changed{file(
      "b.json",
      {lock_point("wait", 1, nine()), skipped, broken, with_hold, lock_point("wait", 4, nine())})};
  const FileComparisons all = compare(base, changed);
  const FileComparison& one = all.files[0];
  ASSERT_EQ(one.rows.size(), 3);
  EXPECT_EQ(all.tests, 1);
  EXPECT_EQ(one.rows[1].reason, "here: skipped: ENOSYS");
  EXPECT_EQ(row_words(one.rows[2]),
            "in the base: no value: created 1 of 2 threads; here: no value: "
            "created 1 of 2 threads");
  EXPECT_EQ(all.without_data, 1) << "a point without values in both files has not changed";
  EXPECT_THAT(partner_notes(all, one), ElementsAre("Only in b.json: wait, 1 thread, hold_ns=50.",
                                                   "Only in b.json: wait, 4 threads."));
}

TEST(FileComparison, WhatDisturbedATrialIsNoReasonForAMissingValue) {
  PointSamples unknown = lock_point("wait", 1, std::vector<double>(9, samples::kNaN));
  unknown.trials[0].disturbed = true;
  unknown.trials[0].note = "other processes used 1.00 of 2 CPUs";
  const std::vector<ResultFile> changed{file("new", {unknown})};
  const ResultFile base = file("base", {lock_point("wait", 1, nine())});
  const FileComparisons all = compare(base, changed);
  EXPECT_EQ(all.files[0].rows[0].reason, "here: no value");
  EXPECT_EQ(all.tests, 0);
  EXPECT_THAT(all_notes(all), HasSubstr("Nothing was compared: no point has values of throughput"));
}

TEST(FileComparison, LimitCountsLossOfThroughputAndRiseOfTime) {
  const auto regressions = [](Direction direction, double factor, double limit) {
    ResultFile base = file("base", {lock_point("wait", 1, nine())});
    std::vector<ResultFile> changed{file("new", {lock_point("wait", 1, times(nine(), factor))})};
    set_direction(base, direction);
    set_direction(changed[0], direction);
    return compare(base, changed, {.metric = "", .fail_above = limit}).regressions;
  };
  EXPECT_EQ(regressions(Direction::kHigherIsBetter, 0.75, 24), 1);
  EXPECT_EQ(regressions(Direction::kHigherIsBetter, 0.75, 25), 0) << "exactly the limit is allowed";
  EXPECT_EQ(regressions(Direction::kHigherIsBetter, 1.5, 0), 0);
  EXPECT_EQ(regressions(Direction::kLowerIsBetter, 1.5, 49), 1);
  EXPECT_EQ(regressions(Direction::kLowerIsBetter, 1.5, 50), 0);
  EXPECT_EQ(regressions(Direction::kLowerIsBetter, 0.5, 0), 0);
  EXPECT_EQ(regressions(Direction::kHigherIsBetter, 1, 0), 0) << "not shown is no regression";
}

TEST(FileComparison, ValuesOfZeroAreTestedButHaveNoRatio) {
  const std::vector<double> none(9, 0.0);
  ResultFile base = file("base", {lock_point("wait", 1, none), lock_point("wait", 2, none)});
  std::vector<ResultFile> changed{file(
      "new", {lock_point("wait", 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}), lock_point("wait", 2, none)})};
  set_direction(base, Direction::kLowerIsBetter);
  set_direction(changed[0], Direction::kLowerIsBetter);
  const FileComparisons all = compare(base, changed, {.metric = "", .fail_above = 1000});
  const auto& rows = all.files[0].rows;
  EXPECT_TRUE(std::isnan(rows[0].shift.ratio));
  EXPECT_EQ(rows[0].difference, Difference::kSlower);
  EXPECT_TRUE(rows[0].beyond_limit) << "from nothing to something is beyond any limit";
  EXPECT_EQ(rows[1].difference, Difference::kNotShown);
  EXPECT_EQ(row_words(rows[1]), "no difference shown (no ratio: values that are not above 0)");
  EXPECT_EQ(all.regressions, 1);
}

TEST(FileComparison, OtherMetricsByName) {
  PointSamples unfair = lock_point("wait", 1, nine());
  for (TrialSample& trial : unfair.trials) trial.values[5] = 0.5;
  const ResultFile base = file("base", {lock_point("wait", 1, nine())});
  const std::vector<ResultFile> changed{file("new", {unfair})};
  const FileComparisons all = compare(base, changed, {.metric = "jain", .fail_above = 5});
  EXPECT_EQ(all.metric.name, "jain");
  EXPECT_EQ(all.files[0].rows[0].difference, Difference::kSlower);
  EXPECT_EQ(all.regressions, 1);
}

TEST(FileComparison, RefusesWhatCannotBeCompared) {
  const ResultFile base = file("a.json", {lock_point("wait", 1, nine())});
  ResultFile other = base;
  other.name = "b.json";
  EXPECT_EQ(refusal(base, other), "");
  EXPECT_THAT(refusal(base, other, {.metric = "speed", .fail_above = {}}),
              HasSubstr("a.json: has no metric 'speed'; it has throughput, user"));
  EXPECT_THAT(refusal(base, other, {.metric = "", .fail_above = 100}), HasSubstr("never fail"));
  EXPECT_THAT(refusal(base, other, {.metric = "user", .fail_above = 5}),
              HasSubstr("no better direction"));
  ResultFile changed = other;
  changed.result.benchmark = "wake-latency";
  EXPECT_EQ(refusal(base, changed), "b.json: is of benchmark wake-latency, but a.json is of lock");
  changed = other;
  changed.result.metrics[0].unit = "Miter/s";
  EXPECT_THAT(refusal(base, changed), HasSubstr("in Miter/s"));
  changed = other;
  changed.result.metrics[0].direction = Direction::kLowerIsBetter;
  EXPECT_THAT(refusal(base, changed), HasSubstr("lower_is_better"));
  changed = other;
  changed.result.metrics[0].name = "rate";
  EXPECT_THAT(refusal(base, changed), HasSubstr("b.json: has no metric 'throughput'"));
  changed = other;
  changed.result.points[0].key.threads = 7;
  EXPECT_THAT(refusal(base, changed), HasSubstr("no point in common"));
}

TEST(FileDifferences, WarnsOfEachFactThatDiffers) {
  ResultFile base = file("a.json", {});
  base.result.environment = {{"kernel", "kernel", "6.1", ""},
                             {"cpus_allowed", "CPUs allowed", "0-3", ""},
                             {"commit", "commit", "v1", ""},
                             {"governor", "frequency governor", std::nullopt, "no cpufreq"},
                             {"cgroup_cpu_quota", "cgroup CPU quota", "2.00 CPUs (in /a)", ""}};
  ResultFile changed = base;
  changed.name = "b.json";
  EXPECT_TRUE(file_differences(base, changed).empty());
  changed.result.environment[0].value = "6.2";
  changed.result.environment[1] = {"cpu_model", "CPU model", "Z80", ""};
  changed.result.environment[2].value = "v2";
  changed.result.environment[4].value = "2.00 CPUs (in /b)";
  changed.result.runtime_seconds = 0;
  changed.result.order = "latin";
  changed.result.complete = false;
  std::vector<std::string> ids;
  for (const Warning& warning : file_differences(base, changed)) ids.push_back(warning.id);
  EXPECT_THAT(ids, ElementsAre("differs-kernel", "differs-cpu_model", "differs-cpus_allowed",
                               "differs-duration-form", "differs-order", "incomplete"));
  EXPECT_EQ(file_differences(base, changed)[0].text,
            "kernel differs: 6.1 in a.json, 6.2 in b.json");
  EXPECT_EQ(file_differences(base, changed)[1].text,
            "CPU model differs: not recorded in a.json, Z80 in b.json");
  changed.result.runtime_seconds = 0.5;
  EXPECT_EQ(file_differences(base, changed)[3].id, "differs-runtime");
}

TEST(FileComparison, EveryFormatHasTheFiguresTheWordsAndTheNotes) {
  const ResultFile base = file("a|b.json", {lock_point("wait", 1, nine())});
  const std::vector<ResultFile> changed{
      file("new.json", {lock_point("wait", 1, times(nine(), 0.5))})};
  const FileComparisons all = compare(base, changed, {.metric = "", .fail_above = 5});
  for (const std::string& format : file_comparison_formats()) {
    const std::string text = render(format, all, {});
    for (const char* part : {"throughput", "new.json", "10395", "slower", "not interleaved"}) {
      EXPECT_THAT(text, HasSubstr(part)) << format;
    }
    EXPECT_EQ(text.back(), '\n');
  }
  EXPECT_THAT(render("text", all, {}), HasSubstr(" wait        1  20790  10395  0.500x ["));
  EXPECT_THAT(render("text", all, {}), HasSubstr("slower, beyond the limit"));
  EXPECT_THAT(render("markdown", all, {}), HasSubstr("a\\|b.json"));
  EXPECT_THAT(render("json", all, {}), HasSubstr("\"beyond_limit\": true"));
  EXPECT_THROW(render("csv", all, {}), UsageError);
}

}  // namespace
}  // namespace futex_bench
