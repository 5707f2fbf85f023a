// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report_samples.h"

namespace futex_bench {
namespace {

using samples::failed_trial;
using samples::latency_run;
using samples::lock_point;
using samples::lock_run;
using samples::nine;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Markdown, OneTableOfALockRun) {
  EXPECT_EQ(markdown_report(lock_run({lock_point("wait", 4, nine())}), {}),
            "### futex/lock: FUTEX_WAIT (mode wait), 9 x 0.20 s\n"
            "\n"
            "| threads | throughput (Kiter/s) | 95 % | user (s) | system (s) | wall (s) | cores | "
            "jain | slow_share |\n"
            "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            "| 4 | 20790 | +-1.2% | 5.730 | 10.53 | 4.810 | 3.380 | 0.98 | 0.314 |\n");
}

TEST(Markdown, VerboseShowsEveryMetric) {
  const std::string text =
      markdown_report(lock_run({lock_point("wait", 4, nine())}), {.verbose = true});
  EXPECT_THAT(text, HasSubstr("| min | max | trials |"));
  EXPECT_THAT(text, HasSubstr("| 20790 | +-1.2% | 20500 | 21100 | 9 |"));
  EXPECT_THAT(text, HasSubstr("| involuntary_switches | overlap |"));
}

TEST(Markdown, TroubleIsANoteAndAList) {
  PointSamples point = lock_point("wait", 4, {1, 2, 3});
  point.trials[0] = failed_trial(0, "a | b <script> *c*");
  PointSamples skipped = lock_point("wait", 8, {});
  skipped.skipped = "x|y";
  const std::string text = markdown_report(lock_run({point, skipped}), {});
  EXPECT_THAT(text, HasSubstr("| 0.314 | 1 failed |\n"));
  EXPECT_THAT(text, HasSubstr("| - | skipped: x\\|y |\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\n\n- wait, 4 threads: 1 of 3 trials failed: a \\| b &lt;script> \\*c\\*\n"));
  EXPECT_THAT(text, HasSubstr("\n- a..b: smallest and largest"));
}

TEST(Markdown, ModesSideBySide) {
  std::vector<double> worse = nine();
  for (double& value : worse) value *= 0.5;
  const std::string text =
      markdown_report(lock_run({lock_point("wait", 4, nine()), lock_point("spin", 4, worse)}), {});
  EXPECT_THAT(text, HasSubstr("\n\n### Side by side: Kiter/s (medians) and ratio to wait [95 % "
                              "interval]\n\n"
                              "| threads | wait | spin | ratio |  |\n"
                              "| ---: | ---: | ---: | :--- | :--- |\n"
                              "| 4 | 20790 | 10395 | 0.500x [0.500 0.500] | slower |\n\n- "));
}

TEST(Markdown, OtherBenchmarksAndNoNaN) {
  const std::string text = markdown_report(latency_run(), {.verbose = true});
  EXPECT_THAT(text, HasSubstr("### futex/wake-latency: 2 trials, iterations=1000\n"));
  EXPECT_THAT(text, HasSubstr("| 8 | 5 | 4.500..5.500 | 4.500 | 5.500 | 2 | - |\n"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace futex_bench
