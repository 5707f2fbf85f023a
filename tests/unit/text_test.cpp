// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "futex-bench/report/simple.h"
#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::failed_trial;
using samples::latency_run;
using samples::lines;
using samples::lock_point;
using samples::lock_run;
using samples::nine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> plain(const RunResult& result) { return lines(text_report(result, {})); }

std::vector<std::string> verbose(const RunResult& result) {
  return lines(text_report(result, {.verbose = true}));
}

const char kHead[] = "# Running 'futex/lock' benchmark: FUTEX_WAIT (mode wait), 9 x 0.20 s";

TEST(Text, LockLineBeginsWithTheHistoricalOne) {
  const RunResult result = lock_run({lock_point("wait", 4, nine())});
  EXPECT_THAT(plain(result),
              ElementsAre(kHead,
                          "   4 threads: 20790 Kiter/s (5.73s user 10.53s system 4.81s wall "
                          "3.38 cores)  +-1.2%  fair 0.98  slow 31%"));
}

TEST(Text, OldScriptsFindEveryMeasuredPoint) {
  const std::regex historical(
      R"(^ *[0-9]+ threads: [0-9.]+ Kiter/s \([0-9.]+s user [0-9.]+s system [0-9.]+s wall [0-9.]+ cores\).*)");
  const RunResult result = lock_run({lock_point("wait", 1, {0.4}), lock_point("wait", 16, nine()),
                                     lock_point("wait", 1024, {1234567.8, 1234567.9})});
  for (const bool is_verbose : {false, true}) {
    int found = 0;
    for (const std::string& line : is_verbose ? verbose(result) : plain(result)) {
      found += std::regex_match(line, historical) ? 1 : 0;
    }
    EXPECT_EQ(found, 3);
  }
}

TEST(Text, WhatFollowsTheHistoricalLineIsAligned) {
  const RunResult result =
      lock_run({lock_point("wait", 4, nine()), lock_point("wait", 1024, {5, 6, 7}),
                lock_point("wait", 16384, {100})});
  EXPECT_THAT(plain(result),
              ElementsAre(kHead,
                          "    4 threads: 20790 Kiter/s (5.73s user 10.53s system 4.81s wall "
                          "3.38 cores)  +-1.2%     fair 0.98  slow 31%",
                          " 1024 threads: 6 Kiter/s (5.73s user 10.53s system 4.81s wall "
                          "3.38 cores)      5..7       fair 0.98  slow 31%  unstable 16.7 %",
                          "16384 threads: 100 Kiter/s (5.73s user 10.53s system 4.81s wall "
                          "3.38 cores)    one trial  fair 0.98  slow 31%",
                          "# a..b: smallest and largest of fewer than 6 trials, for which no "
                          "95 % interval exists."));
}

TEST(Text, ASlowLockKeepsItsDigitsAndOneTrialNeedsNoFootnote) {
  const auto text = plain(lock_run({lock_point("mcs", 64, {0.318}), lock_point("mcs", 65, {9.5})}));
  ASSERT_EQ(text.size(), 3U);
  EXPECT_THAT(text[1], HasSubstr(" 0.318 Kiter/s ("));
  EXPECT_THAT(text[2], HasSubstr(" 9.500 Kiter/s ("));
}

TEST(Text, VerboseAddsTheRestOnALineOfItsOwn) {
  const RunResult result = lock_run({lock_point("wait", 4, nine())});
  ASSERT_EQ(verbose(result).size(), 3U);
  EXPECT_EQ(verbose(result)[2],
            "      95 % [20540 21040]  min 20500  max 21100  9 of 9 trials  shares 0.71..1.20  "
            "never ran 0  switches 1200 vol. 34 invol.  overlap 0.99");
}

TEST(Text, StarvationAndPoorOverlapAreNamed) {
  PointSamples point = lock_point("wait", 4, nine());
  for (TrialSample& trial : point.trials) {
    trial.values[8] = 2;
    trial.values[12] = 0.5;
  }
  EXPECT_THAT(plain(lock_run({point}))[1], HasSubstr("slow 31%  2 never ran  overlap 0.50"));
  for (TrialSample& trial : point.trials) trial.values[12] = 0.91;
  EXPECT_THAT(plain(lock_run({point}))[1], Not(HasSubstr("overlap")));
}

TEST(Text, SkippedAndUntriedPointsSayWhy) {
  PointSamples skipped = lock_point("wait", 4, {});
  skipped.skipped = "ENOSYS: needs Linux 6.7\nreally";
  RunResult result = lock_run({skipped, lock_point("wait", 8, {})});
  result.complete = false;
  EXPECT_THAT(plain(result),
              ElementsAre(kHead, "   4 threads: skipped: ENOSYS: needs Linux 6.7 really",
                          "   8 threads: not run",
                          "# This run is incomplete: some trials failed or were not run."));
}

TEST(Text, ReasonsOfBadTrialsAreGrouped) {
  PointSamples point = lock_point("wait", 4, nine());
  for (const unsigned round : {1U, 3U, 5U}) {
    point.trials[round] = failed_trial(round, "created 243 of 1024 threads; RLIMIT_NPROC=500");
  }
  point.trials[8].status = TrialStatus::kNotDrained;
  point.trials[8].note = "killed after 1 s";
  point.trials[0].note = "CPU 1 was taken away";
  point.trials[0].disturbed = true;
  const RunResult result = lock_run({point});
  const auto text = plain(result);
  ASSERT_EQ(text.size(), 4U);
  EXPECT_THAT(text[1], HasSubstr("slow 31%  3 failed  1 not drained  1 disturbed"));
  EXPECT_EQ(text[2], "      3 of 9 trials failed: created 243 of 1024 threads; RLIMIT_NPROC=500");
  EXPECT_EQ(text[3], "      1 of 9 trials did not drain: killed after 1 s");
  EXPECT_EQ(verbose(result).back(), "      1 of 9 trials disturbed: CPU 1 was taken away");
}

TEST(Text, TheVerdictFollowsTheLine) {
  std::vector<double> slow_first = nine();
  slow_first[0] = 10000;
  EXPECT_THAT(plain(lock_run({lock_point("wait", 4, slow_first)}))[1],
              HasSubstr("slow 31%  slow first trial"));
  PointSamples point = lock_point("wait", 4, nine());
  for (TrialSample& trial : point.trials) trial.values[3] = 0.009;
  EXPECT_THAT(plain(lock_run({point}))[1], HasSubstr("slow 31%  short trial"));
}

TEST(Text, ADisturbedTrialCountsOnlyIfItsRoundHasNoOther) {
  PointSamples point = lock_point("wait", 4, nine());
  point.trials[1].disturbed = true;
  EXPECT_THAT(plain(lock_run({point}))[1], HasSubstr("20790 Kiter/s"));
  EXPECT_THAT(plain(lock_run({point}))[1], HasSubstr("slow 31%  1 disturbed"));
  for (unsigned i = 0; i < 20; ++i) {
    point.trials.push_back(samples::lock_trial(0, 1));
    point.trials.back().disturbed = true;
  }
  EXPECT_THAT(plain(lock_run({point}))[1], HasSubstr("20790 Kiter/s"));
  EXPECT_THAT(plain(lock_run({point}))[1], HasSubstr("1 disturbed  20 measured again"));
}

TEST(Text, ManyDifferentReasonsAreCutShort) {
  PointSamples point = lock_point("wait", 4, {});
  for (unsigned i = 0; i < 5; ++i) point.trials.push_back(failed_trial(i, std::to_string(i)));
  EXPECT_THAT(plain(lock_run({point})),
              ElementsAre(kHead, "   4 threads: no result: 5 trials failed",
                          "      1 of 5 trials failed: 0", "      1 of 5 trials failed: 1",
                          "      1 of 5 trials failed: 2",
                          "      and 2 reasons more; --verbose shows them"));
  EXPECT_EQ(verbose(lock_run({point})).size(), 7U);
}

TEST(Text, MissingValuesAreDashes) {
  PointSamples point = lock_point("wait", 4, {1, 2});
  for (TrialSample& trial : point.trials) {
    for (double& value : trial.values) value = samples::kNaN;
    trial.values[1] = std::numeric_limits<double>::infinity();
  }
  const RunResult result = lock_run({point});
  EXPECT_EQ(plain(result)[1],
            "   4 threads: - Kiter/s (-s user -s system -s wall - cores)  -  fair -  slow -");
  for (const std::string& line : verbose(result)) {
    EXPECT_THAT(line, Not(HasSubstr("nan")));
    EXPECT_THAT(line, Not(HasSubstr("inf")));
  }
}

TEST(Text, CommonParametersStandInTheHeadingOthersInTheLine) {
  PointSamples a = lock_point("wait", 4, nine());
  PointSamples b = lock_point("wait", 4, nine());
  a.key.parameters = {{"hold_ns", "0"}, {"gap_ns", "400"}};
  b.key.parameters = {{"hold_ns", "200"}, {"gap_ns", "400"}};
  const auto text = plain(lock_run({a, b}));
  EXPECT_EQ(text[0], std::string(kHead) + ", gap_ns=400");
  EXPECT_THAT(text[1], ::testing::EndsWith("slow 31%  hold_ns=0"));
  EXPECT_THAT(text[2], ::testing::EndsWith("slow 31%  hold_ns=200"));
}

TEST(Text, MetricsWithoutWordsAreListedByName) {
  RunResult result = lock_run({lock_point("wait", 4, nine())});
  result.metrics.push_back({"eagain", "1/kiter", Direction::kNeutral, ""});
  for (TrialSample& trial : result.points[0].trials) trial.values.push_back(12.5);
  EXPECT_EQ(plain(result)[2], "      eagain 12.50 1/kiter");
}

TEST(Text, OneTablePerModeThenSideBySide) {
  std::vector<double> better = nine();
  for (double& value : better) value *= 1.25;
  const RunResult result =
      lock_run({lock_point("wait", 4, nine()), lock_point("adaptive", 4, better)});
  const auto text = plain(result);
  ASSERT_EQ(text.size(), 10U);
  EXPECT_EQ(text[3], "# Running 'futex/lock' benchmark: mode adaptive, 9 x 0.20 s");
  EXPECT_EQ(text[5], "");
  EXPECT_EQ(text[6], "# Side by side: Kiter/s (medians) and ratio to wait [95 % interval]");
  EXPECT_EQ(text[7], " threads   wait  adaptive  ratio");
  EXPECT_EQ(text[8], "       4  20790     25988  1.250x [1.250 1.250]  faster");
  EXPECT_EQ(text[9],
            "# Ratios pair the trials of each round; words come from a sign test at 5 % over one "
            "comparison (Holm).");
}

TEST(Text, ManyModesBreakIntoBlocksThatFit) {
  RunResult result = lock_run({});
  for (int i = 0; i < 12; ++i) {
    result.points.push_back(lock_point("some-long-mode-" + std::to_string(i), 4, nine()));
  }
  int headers = 0;
  for (const std::string& line : plain(result)) {
    EXPECT_LE(line.size(), 130U) << line;
    headers += line.rfind(" threads  ", 0) == 0 ? 1 : 0;
  }
  EXPECT_GT(headers, 2);
}

TEST(Text, TooFewRoundsIsSaid) {
  const RunResult result =
      lock_run({lock_point("wait", 4, {1, 2, 3}), lock_point("spin", 4, {2, 3, 4})});
  EXPECT_THAT(plain(result),
              ::testing::Contains("# Too few rounds to show any difference: 3 here, 6 needed for "
                                  "1 comparison (--repeat 6)."));
}

TEST(Text, OtherBenchmarksGetATableOfTheirMetrics) {
  EXPECT_THAT(plain(latency_run()),
              ElementsAre("# Running 'futex/wake-latency' benchmark: 2 trials, iterations=1000",
                          " size  latency (us)          95 %  lost",
                          "    8             5  4.500..5.500     -",
                          "   64             5  4.500..5.500     -",
                          "# a..b: smallest and largest of fewer than 6 trials, for which no "
                          "95 % interval exists."));
}

TEST(Text, ATableNamesItsTrouble) {
  RunResult result = latency_run();
  result.points[0].trials[1] = failed_trial(1, "out of memory");
  result.points[1].trials.clear();
  result.points[1].skipped = "no such thing";
  const auto text = plain(result);
  EXPECT_EQ(text[2], "    8         4.500  one trial     -  1 failed");
  EXPECT_EQ(text[3], "   64             -          -     -  skipped: no such thing");
  EXPECT_EQ(text[4], "      size=8: 1 of 2 trials failed: out of memory");
}

TEST(Text, ColourOnlyIfAsked) {
  PointSamples skipped = lock_point("wait", 4, {});
  skipped.skipped = "reason";
  const RunResult result = lock_run({skipped});
  EXPECT_EQ(text_report(result, {}).find('\033'), std::string::npos);
  EXPECT_THAT(text_report(result, {.color = true}),
              HasSubstr("   4 threads: \033[33mskipped: reason\033[0m\n"));
}

TEST(Text, NothingMeasuredIsNoCrash) {
  EXPECT_EQ(text_report(lock_run({}), {}), "");
  RunResult bare;
  bare.complete = true;
  bare.points.push_back({});
  EXPECT_THAT(text_report(bare, {}), HasSubstr("not run"));
}

TEST(Simple, OneLineAPoint) {
  PointSamples gone = lock_point("spin", 1024, {});
  EXPECT_EQ(simple_report(lock_run({lock_point("wait", 4, {20790.12, 20790.13, 1}), gone,
                                    lock_point("", 0, {0.123456})})),
            "wait 4 20790.1 Kiter/s\n"
            "spin 1024 - Kiter/s\n"
            "- - 0.12346 Kiter/s\n");
}

TEST(Simple, ParametersThatDifferComeLast) {
  EXPECT_EQ(simple_report(latency_run()), "- - 5 us size=8\n- - 5 us size=64\n");
}

TEST(Text, TheHeadingCountsTheRoundsThatWereRun) {
  RunResult result = lock_run({lock_point("wait", 1, nine()), lock_point("wait", 2, nine())});
  result.repeat = 6;
  EXPECT_THAT(text_report(result, {}), HasSubstr(", 9 x 0.20 s\n"));
  result.points[0].trials.resize(7);
  EXPECT_THAT(text_report(result, {}), HasSubstr(", 7 to 9 x 0.20 s\n"));
  result.repeat = 20;
  EXPECT_THAT(text_report(result, {}), HasSubstr(", 20 x 0.20 s\n")) << "ended early";
}

}  // namespace
}  // namespace futex_bench
