// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/fake_point.h"

namespace futex_bench {
namespace {

std::vector<std::unique_ptr<Point>> one_point(FakePoint::Body body, std::string missing = "") {
  std::vector<std::unique_ptr<Point>> points;
  points.push_back(std::make_unique<FakePoint>(std::move(body), 0.01, std::move(missing)));
  return points;
}

TEST(RunPlan, RunsEveryRoundAndNotTheWarmUp) {
  const auto points = one_point([](TrialControl&, std::atomic<int>& count) { count = 1; });
  std::size_t shown = 0;
  std::size_t finished = 0;
  const RunOutcome outcome =
      run_plan(points,
               {.repeat = 3,
                .runtime_seconds = 0.01,
                .warmup_seconds = 0.01,
                .seed = 1,
                .retry_disturbed = 0},
               {.before_trial = [&](const RunStep& step) { EXPECT_EQ(step.done, shown++); },
                .after_trial = [&](std::size_t, const TrialSample&) { ++finished; }});
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(shown, 4U);
  EXPECT_EQ(finished, 3U);
  ASSERT_EQ(outcome.points.size(), 1U);
  ASSERT_EQ(outcome.points[0].trials.size(), 3U);
  for (unsigned round = 0; round < 3; ++round)
    EXPECT_EQ(outcome.points[0].trials[round].round, round);
}

TEST(RunPlan, SkipsWhatCannotRun) {
  const auto points = one_point([](TrialControl&, std::atomic<int>&) {}, "ENOSYS: too old");
  const RunOutcome outcome = run_plan(points, {.repeat = 3, .retry_disturbed = 0}, {});
  EXPECT_TRUE(outcome.complete) << "nothing that can run is missing";
  EXPECT_TRUE(outcome.anything_skipped);
  EXPECT_FALSE(outcome.anything_ran);
  EXPECT_EQ(outcome.points[0].skipped, "ENOSYS: too old");
  EXPECT_TRUE(outcome.points[0].trials.empty());
}

TEST(RunPlan, AFailedTrialLeavesTheRunIncompleteAndGoesOn) {
  const auto points = one_point(
      [](TrialControl& control, std::atomic<int>&) { control.fail("created 1 of 2 threads"); });
  const RunOutcome outcome =
      run_plan(points, {.repeat = 2, .warmup_seconds = 0, .retry_disturbed = 0}, {});
  EXPECT_FALSE(outcome.complete);
  EXPECT_TRUE(outcome.anything_ran);
  ASSERT_EQ(outcome.points[0].trials.size(), 2U);
  EXPECT_EQ(outcome.points[0].trials[1].note, "created 1 of 2 threads");
}

TEST(RunPlan, ABrokenLockIsNotMeasured) {
  const auto points = one_point([](TrialControl&, std::atomic<int>& count) { count = -1; });
  const RunOutcome outcome =
      run_plan(points, {.repeat = 2, .warmup_seconds = 0.01, .retry_disturbed = 0}, {});
  EXPECT_EQ(outcome.violations, std::vector<std::string>{"two inside"});
  EXPECT_TRUE(outcome.points[0].trials.empty());
}

TEST(RunPlan, KeepsWhatWasFinishedWhenInterrupted) {
  const auto points = one_point([](TrialControl&, std::atomic<int>& count) { count = 5; });
  unsigned finished = 0;
  const RunOutcome outcome =
      run_plan(points, {.repeat = 100, .warmup_seconds = 0, .retry_disturbed = 0},
               {.before_trial = {}, .after_trial = [&](std::size_t, const TrialSample&) {
                  if (++finished == 3) kill(getpid(), SIGTERM);
                }});
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.points[0].trials.size(), 3U);
}

}  // namespace
}  // namespace futex_bench
