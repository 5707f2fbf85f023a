// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/progress.h"

#include <gtest/gtest.h>

#include "tests/unit/fake_point.h"

namespace futex_bench {
namespace {

TEST(ProgressLine, SaysWhatRunsAndHowLongItTakes) {
  const FakePoint point({}, 0.2, "",
                        {.benchmark = "lock", .mode = "wait", .threads = 64, .parameters = {}});
  EXPECT_EQ(progress_line({.point = &point, .round = 1, .done = 33, .planned = 170}, 9, 33),
            "[ 34/170] round 2/9  wait, 64 threads  2:17 min left");
  EXPECT_EQ(progress_line({.point = &point, .warmup = true, .done = 0, .planned = 5}, 9, 0),
            "[1/5] warm-up  wait, 64 threads");
  EXPECT_EQ(progress_line({.point = &point, .round = 8, .done = 169, .planned = 170}, 9, 169),
            "[170/170] round 9/9  wait, 64 threads  1 s left");
}

TEST(ProgressLine, SaysHowFarTheTrialIs) {
  const FakePoint point({}, 0.2, "",
                        {.benchmark = "b",
                         .mode = "futex",
                         .threads = 0,
                         .parameters = {{"sleep_us", "10"}, {"between", "threads"}}});
  EXPECT_EQ(progress_line({.point = &point, .done = 0, .planned = 2}, 2, 0, "after 3 of 7 samples"),
            "[1/2] round 1/2  futex sleep_us=10 between=threads  after 3 of 7 samples");
}

TEST(ProgressLine, WithoutModeOrThreadsNamesTheBenchmark) {
  const FakePoint point({}, 0.2, "", {.benchmark = "messaging", .mode = "", .parameters = {}});
  EXPECT_EQ(progress_line({.point = &point, .done = 0, .planned = 1}, 1, 0),
            "[1/1] round 1/1  messaging");
}

}  // namespace
}  // namespace futex_bench
