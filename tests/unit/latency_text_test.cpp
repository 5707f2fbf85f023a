// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/latency_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace futex_bench {
namespace {

using testing::HasSubstr;
using testing::Not;

Distribution all_at(double us, std::uint64_t count) {
  return {.buckets = {{us, us, count}}, .count = count, .min = us, .max = us, .mean = us};
}

PointSamples point(const std::string& sleep, Parameters more = {}) {
  PointSamples samples{.key = {.benchmark = "wake-latency", .mode = "sem", .parameters = {}},
                       .title = "sem_post to sem_wait (mode sem)",
                       .skipped = {},
                       .trials = {}};
  samples.key.parameters.emplace_back("sleep_us", sleep);
  for (auto& parameter : more) samples.key.parameters.push_back(std::move(parameter));
  samples.trials.resize(1);
  samples.trials[0].values = {2};
  samples.trials[0].distributions = {{"latency_us", all_at(2, 10)}, {"gap_us", all_at(24, 10)}};
  return samples;
}

std::string text_of(std::vector<PointSamples> points) {
  RunResult result;
  result.benchmark = "wake-latency";
  result.repeat = 1;
  result.metrics = {{"latency", "us", Direction::kLowerIsBetter, ""}};
  result.points = std::move(points);
  std::string text;
  for (const Section& section : sections(result, true, "#")) {
    text += latency_section(result, section, {});
  }
  return text;
}

TEST(LatencyText, HasTheHistoricalColumnsFirst) {
  const std::string text = text_of({point("1"), point("10")});
  EXPECT_THAT(text, testing::StartsWith(" sleep us   mean +-sd   min  median   %99"));
  EXPECT_THAT(text, HasSubstr("\n        1  2.00+-0.00  2.00    2.00  2.00"));
  EXPECT_THAT(text, HasSubstr("\n       10  2.00+-0.00"));
  EXPECT_THAT(text, HasSubstr("24.00"));
  EXPECT_THAT(text, Not(HasSubstr("same CPU")));
}

TEST(LatencyText, SaysWhenTheEndsMoved) {
  PointSamples moved = point("1");
  auto& distributions = moved.trials[0].distributions;
  distributions.emplace_back("latency_same_cpu_us", all_at(2, 7));
  EXPECT_THAT(text_of({moved}), Not(HasSubstr("same CPU"))) << "they stayed";
  distributions.emplace_back("latency_two_cpus_us", all_at(40, 3));
  const std::string text = text_of({moved});
  EXPECT_THAT(text, HasSubstr("ends moved"));
  EXPECT_THAT(text, HasSubstr("\n same CPU   2.00+-0.00"));
  EXPECT_THAT(text, HasSubstr("\n two CPUs  40.00+-0.00"));
}

TEST(LatencyText, ShowsApartWhatWasNotBlocked) {
  PointSamples some = point("1");
  some.trials[0].distributions.emplace_back("latency_not_blocked_us", all_at(0.5, 4));
  EXPECT_THAT(text_of({some}), HasSubstr("not blocked  0.50+-0.00"));
}

TEST(LatencyText, SaysNothingOfNoSampleAndNoDeviationOfOne) {
  PointSamples none = point("1");
  none.trials[0].distributions = {{"latency_us", {}}, {"latency_not_blocked_us", all_at(0.5, 1)}};
  const std::string text = text_of({none});
  EXPECT_THAT(text, testing::ContainsRegex("\n +1 +- +- +- +- +- +- +- +- +0 +-\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n not blocked +0.50 +0.50 "));
}

TEST(LatencyText, GivesReasons) {
  PointSamples skipped = point("1");
  skipped.trials.clear();
  skipped.skipped = "mq_open: ENOSYS";
  EXPECT_EQ(text_of({skipped}), "      1: skipped: mq_open: ENOSYS\n");
}

TEST(LatencyText, PrintsEverySample) {
  PointSamples logged = point("1");
  logged.trials[0].series = {{"latency_us", {1.5, 2}}, {"waiter_cpu", {0, 1}}};
  EXPECT_THAT(text_of({logged}), HasSubstr("round 0: latency_us waiter_cpu\n    1.500        0\n"
                                           "        2        1\n"));
}

TEST(LatencyMatrix, OfOneProcessor) {
  EXPECT_EQ(text_of({point("1", {{"pair", "all"}, {"cpus", "3,3"}})}),
            "# sleep 1 us: medians in us, notifier's processor by waiter's\n"
            " from\\to  CPU 3\n"
            "   CPU 3   2.00\n");
}

TEST(LatencyMatrix, SaysWhyThereIsNoFigure) {
  const auto at = [](const char* cpus) { return point("1", {{"pair", "all"}, {"cpus", cpus}}); };
  PointSamples failed = at("0,0");
  failed.trials[0].status = TrialStatus::kFailed;
  failed.trials[0].note = "killed by SIGKILL";
  failed.trials[0].distributions.clear();
  PointSamples awake = at("0,1");
  awake.trials[0].distributions = {{"latency_us", {}}, {"latency_not_blocked_us", all_at(0.5, 4)}};
  PointSamples some = at("1,0");
  some.trials[0].distributions.emplace_back("latency_not_blocked_us", all_at(0.5, 10));
  PointSamples skipped = at("1,1");
  skipped.trials.clear();
  skipped.skipped = "mq_open: ENOSYS";
  EXPECT_EQ(text_of({failed, awake, some, skipped}),
            "# sleep 1 us: medians in us, notifier's processor by waiter's\n"
            " from\\to   CPU 0        CPU 1\n"
            "   CPU 0  failed  not blocked\n"
            "   CPU 1    2.00      skipped\n"
            "      sleep 1 us, CPU 0 to 0: 1 of 1 trial failed: killed by SIGKILL\n"
            "      sleep 1 us, CPU 0 to 1: 4 of 4 samples not blocked, left out\n"
            "      sleep 1 us, CPU 1 to 0: 10 of 20 samples not blocked, left out\n"
            "      skipped: mq_open: ENOSYS\n");
}

TEST(LatencyMatrix, OfTwoProcessorsPerSleep) {
  std::vector<PointSamples> points;
  double us = 1;
  for (const char* cpus : {"0,0", "0,2", "2,0", "2,2"}) {
    points.push_back(point("1", {{"pair", "all"}, {"cpus", cpus}}));
    points.back().trials[0].distributions[0].second = all_at(us++, 5);
  }
  points.push_back(point("10", {{"pair", "all"}, {"cpus", "0,2"}}));
  EXPECT_EQ(text_of(points),
            "# sleep 1 us: medians in us, notifier's processor by waiter's\n"
            " from\\to  CPU 0  CPU 2\n"
            "   CPU 0   1.00   2.00\n"
            "   CPU 2   3.00   4.00\n"
            "# sleep 10 us: medians in us, notifier's processor by waiter's\n"
            " from\\to  CPU 0  CPU 2\n"
            "   CPU 0      -   2.00\n"
            "   CPU 2      -      -\n");
}

}  // namespace
}  // namespace futex_bench
