// SPDX-License-Identifier: GPL-2.0-only
/// The rounds of a run: their order, disturbed trials, and the rounds that precision asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "futex-bench/run/runner.h"
#include "tests/unit/fake_point.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PointKey key(const std::string& mode, unsigned threads) {
  return {.benchmark = "fake", .mode = mode, .threads = threads, .parameters = {}};
}

/// A run on a made-up machine: the hypervisor takes everything during the trials listed.
class Rounds : public testing::Test {
 protected:
  Rounds() {
    settings_.repeat = 3;
    settings_.warmup_seconds = 0;
    settings_.look = [this] {
      MachineCounters counters;
      counters.monotonic_seconds = static_cast<double>(looks_) * 0.2;
      counters.steal_seconds = steal_;
      // Looks come in pairs: one before, one after the trial.
      if (looks_ % 2 == 0 && is_disturbed(looks_ / 2)) steal_ += 0.1;
      ++looks_;
      return counters;
    };
  }

  bool is_disturbed(std::size_t trial) const {
    return std::find(disturbed_.begin(), disturbed_.end(), trial) != disturbed_.end();
  }

  /// A point whose trials count `value`, plus `noise` every other pair of trials.
  void add_point(const PointKey& point_key, int value, int noise = 0) {
    // The parent counts: the child's memory is gone with it.
    points_.push_back(std::make_unique<FakePoint>(
        [this, value, noise](TrialControl&, std::atomic<int>& count) {
          count = value + (noise == 0 ? 0 : static_cast<int>(looks_ / 4 % 2) * noise);
        },
        0.01, "", point_key));
  }

  RunOutcome run() {
    return run_plan(points_, settings_,
                    {.before_trial =
                         [this](const RunStep& step) {
                           order_.push_back(step.point->key().mode);
                           planned_ = step.planned;
                         },
                     .after_trial = {}});
  }

  RunSettings settings_;
  std::vector<std::unique_ptr<Point>> points_;
  std::vector<std::size_t> disturbed_;  ///< numbers of trials, from 0
  std::size_t looks_ = 0;
  double steal_ = 0;
  std::vector<std::string> order_;
  std::size_t planned_ = 0;
};

TEST_F(Rounds, FollowTheOrderAskedFor) {
  settings_.order = TrialOrder::kLatin;
  for (const char* mode : {"a", "b", "c"}) add_point(key(mode, 4), 1);
  run();
  EXPECT_THAT(order_, ElementsAre("a", "b", "c", "b", "c", "a", "c", "a", "b"));
}

TEST_F(Rounds, ADisturbedTrialIsKeptAndMeasuredAgainInItsRound) {
  settings_.order = TrialOrder::kSequential;
  add_point(key("a", 1), 1);
  add_point(key("b", 1), 2);
  disturbed_ = {2};  // a in round 1
  const RunOutcome outcome = run();
  EXPECT_THAT(order_, ElementsAre("a", "b", "a", "b", "a", "a", "b"));
  EXPECT_EQ(planned_, 7U);
  EXPECT_TRUE(outcome.complete);
  const auto& trials = outcome.points[0].trials;
  ASSERT_EQ(trials.size(), 4U);
  EXPECT_TRUE(trials[1].disturbed);
  EXPECT_EQ(trials[1].status, TrialStatus::kOk);
  EXPECT_THAT(trials[1].note, HasSubstr("(steal)"));
  EXPECT_EQ(trials[1].values, std::vector<double>{1});
  EXPECT_EQ(trials[2].round, 1U);
  EXPECT_FALSE(trials[2].disturbed);
  EXPECT_EQ(trials[2].note, "");
  EXPECT_THAT(counted_trials(outcome.points[0]), ElementsAre(&trials[0], &trials[2], &trials[3]));
}

TEST(CountedTrials, OneThatWasCutShortCountsOnlyWhereNoOtherHasValues) {
  PointSamples point;
  point.trials.resize(3);
  for (unsigned i = 0; i < 3; ++i) point.trials[i].round = i;
  point.trials[1].status = TrialStatus::kFailed;
  point.trials[2].status = TrialStatus::kCutShort;
  const auto& trials = point.trials;
  EXPECT_THAT(counted_trials(point), ElementsAre(&trials[0], &trials[1]));
  point.trials[0].status = TrialStatus::kFailed;
  EXPECT_THAT(counted_trials(point), ElementsAre(&trials[0], &trials[1], &trials[2]));
  // Of one round the whole one, even if it was disturbed.
  point.trials[0].status = TrialStatus::kNotDrained;
  point.trials[0].disturbed = true;
  point.trials[2].round = 0;
  EXPECT_THAT(counted_trials(point), ElementsAre(&trials[0], &trials[1]));
}

TEST_F(Rounds, EveryTrialKeepsItsCircumstances) {
  add_point(key("a", 1), 1);
  disturbed_ = {0};
  settings_.retry_disturbed = 0;
  const RunOutcome outcome = run();
  const auto steal = [&](std::size_t trial) {
    for (const auto& [name, value] : outcome.points[0].trials[trial].circumstances) {
      if (name == "steal_seconds") return value;
    }
    return std::nan("");
  };
  EXPECT_NEAR(steal(0), 0.1, 1e-9);
  EXPECT_EQ(steal(1), 0);
}

TEST_F(Rounds, ADisturbedTrialIsMeasuredAgainAsOftenAsAsked) {
  add_point(key("a", 1), 1);
  disturbed_ = {0, 1, 2, 3};
  settings_.repeat = 2;
  settings_.retry_disturbed = 2;
  const RunOutcome outcome = run();
  const auto& trials = outcome.points[0].trials;
  ASSERT_EQ(trials.size(), 5U);  // 0, 1, 2 in round 0; 3 and 4 in round 1
  EXPECT_EQ(trials[2].round, 0U);
  EXPECT_EQ(trials[3].round, 1U);
  // Nothing better than a flagged one in round 0.
  EXPECT_THAT(counted_trials(outcome.points[0]), ElementsAre(&trials[2], &trials[4]));
}

TEST_F(Rounds, NoRetryIfNoneIsAskedFor) {
  add_point(key("a", 1), 1);
  disturbed_ = {0, 1, 2};
  settings_.retry_disturbed = 0;
  EXPECT_EQ(run().points[0].trials.size(), 3U);
}

TEST_F(Rounds, ADisturbanceThatStaysIsNotMeasuredAgainForEver) {
  add_point(key("a", 1), 1);
  settings_.repeat = 20;
  for (std::size_t i = 0; i < 100; ++i) disturbed_.push_back(i);
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.points[0].trials.size(), 20U + kVainRetries);
  EXPECT_TRUE(outcome.complete);
}

TEST_F(Rounds, WithoutPrecisionThereAreNoMore) {
  add_point(key("a", 1), 1000, 500);
  EXPECT_EQ(run().points[0].trials.size(), 3U);
}

TEST_F(Rounds, PrecisionGoesOnWithThePointsThatAreTooWide) {
  settings_.order = TrialOrder::kSequential;
  settings_.precision_percent = 5;
  settings_.max_repeat = 9;
  add_point(key("narrow", 1), 1000);
  add_point(key("wide", 1), 1000, 500);
  const RunOutcome outcome = run();
  // An interval needs six trials; the narrow one has it then.
  EXPECT_EQ(outcome.points[0].trials.size(), 6U);
  EXPECT_EQ(outcome.points[1].trials.size(), 9U);
  EXPECT_THAT(outcome.too_wide, ElementsAre(1));
  EXPECT_FALSE(outcome.out_of_time);
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(order_.size(), 15U);
  EXPECT_EQ(planned_, 15U);
}

TEST_F(Rounds, PrecisionStopsWhenItIsReached) {
  settings_.precision_percent = 5;
  add_point(key("a", 1), 1000, 20);
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.points[0].trials.size(), 6U);
  EXPECT_THAT(outcome.too_wide, IsEmpty());
}

TEST_F(Rounds, PrecisionStopsWhenTheTimeIsOver) {
  settings_.precision_percent = 5;
  settings_.max_seconds = 1e-9;
  add_point(key("a", 1), 1000, 500);
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.points[0].trials.size(), 3U);  // those asked for are run all the same
  EXPECT_THAT(outcome.too_wide, ElementsAre(0));
  EXPECT_TRUE(outcome.out_of_time);
}

TEST_F(Rounds, APointThatOnlyFailsIsNotWaitedFor) {
  settings_.precision_percent = 5;
  points_.push_back(std::make_unique<FakePoint>(
      [](TrialControl& control, std::atomic<int>&) { control.fail("no memory"); }, 0.01));
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.points[0].trials.size(), 3U);
  EXPECT_THAT(outcome.too_wide, IsEmpty());
  EXPECT_FALSE(outcome.complete);
}

}  // namespace
}  // namespace futex_bench
