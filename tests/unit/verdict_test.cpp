// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;
using Values = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Direction kHigher = Direction::kHigherIsBetter;
constexpr Direction kLower = Direction::kLowerIsBetter;

TEST(Verdict, OfQuietTrialsIsOk) {
  const Verdict verdict = judge(Values{100, 101, 99, 100.5, 99.5, 100.2}, kHigher);
  EXPECT_EQ(verdict.noise, Noise::kOk);
  EXPECT_NEAR(verdict.mdape_percent, 0.5, 0.1);
  EXPECT_TRUE(verdict.is_ok());
  EXPECT_EQ(verdict.words, "ok");
}

/// Seven trials around 100 whose median distance from it is `distance`.
Values with_mdape(double distance) {
  return {100, 100 - distance, 100 + distance, 100 - distance, 100 + distance, 100, 100 - distance};
}

TEST(Verdict, NamesTheNoiseByItsSize) {
  EXPECT_EQ(judge(with_mdape(1.5), kHigher).noise, Noise::kOk);
  const Verdict noisy = judge(Values{100, 98, 102, 98, 102}, kHigher);
  EXPECT_EQ(noisy.noise, Noise::kNoisy);
  EXPECT_DOUBLE_EQ(noisy.mdape_percent, 2);
  EXPECT_EQ(noisy.words, "noisy 2.0 %");
  EXPECT_FALSE(noisy.is_ok());
  EXPECT_EQ(judge(Values{100, 95.5, 104.5, 95.5, 104.5}, kHigher).noise, Noise::kNoisy);
  const Verdict unstable = judge(Values{100, 95, 105, 95, 105}, kHigher);
  EXPECT_EQ(unstable.noise, Noise::kUnstable);
  EXPECT_EQ(unstable.words, "unstable 5.0 %");
}

TEST(Verdict, SaysWhenThereAreTooFewTrials) {
  for (const Values& samples : {Values{}, Values{5}, Values{5, 9}, Values{5, kNaN, 9}}) {
    const Verdict verdict = judge(samples, kHigher);
    EXPECT_EQ(verdict.noise, Noise::kTooFew);
    EXPECT_EQ(verdict.words, "too few trials to judge");
    EXPECT_FALSE(verdict.is_ok());
  }
  EXPECT_THAT(judge(Values{}, kHigher).mdape_percent, IsNan());
  EXPECT_NE(judge(Values{5, 9, 7}, kHigher).noise, Noise::kTooFew);
}

TEST(Verdict, HandlesAMedianOfZero) {
  const Verdict zeros = judge(Values{0, 0, 0, 0, 0, 0}, kLower);
  EXPECT_EQ(zeros.words, "ok");
  EXPECT_EQ(zeros.mdape_percent, 0);
  const Verdict around = judge(Values{-2, 1, 0, -1, 2, 0, 3, -3, 0}, kLower);
  EXPECT_EQ(around.noise, Noise::kUnstable);
  EXPECT_THAT(around.mdape_percent, IsNan());
  EXPECT_EQ(around.words, "unstable");
}

TEST(Verdict, FindsTwoModes) {
  const Verdict verdict = judge(Values{100, 80, 101, 81, 99, 79, 100, 80, 101}, kHigher);
  EXPECT_TRUE(verdict.bimodal);
  EXPECT_EQ(verdict.low_mode, 80);
  EXPECT_EQ(verdict.high_mode, 100);
  EXPECT_THAT(verdict.outliers, IsEmpty());
  EXPECT_EQ(verdict.words, "noisy 2.0 %, bimodal (80 and 100)");
}

TEST(Verdict, FindsTwoModesThatDoNotScatterAtAll) {
  EXPECT_TRUE(judge(Values{100, 80, 100, 80, 100, 80}, kHigher).bimodal);
}

TEST(Verdict, AsksForThreeTrialsInEachMode) {
  EXPECT_FALSE(judge(Values{100, 80, 101, 99, 79, 100, 100, 101}, kHigher).bimodal);
  EXPECT_TRUE(judge(Values{100, 80, 101, 99, 79, 80, 100, 101}, kHigher).bimodal);
}

TEST(Verdict, DoesNotCallALoneFarTrialAMode) {
  // The gap in the middle is wide, but the one below the lone trial is wider.
  const Values samples{100, 101, 99, 110, 111, 109, 50};
  EXPECT_FALSE(judge(samples, kHigher).bimodal);
}

TEST(Verdict, ComparesTheGapWithTheScatterOfBothSides) {
  // Groups around 80 and 100 with MADs of 3 and 0.1: the gap of 14 is below 5 * 3.
  EXPECT_FALSE(judge(Values{80, 77, 86, 100, 100.1, 99.9}, kHigher).bimodal);
  EXPECT_TRUE(judge(Values{80, 78, 82, 100, 100.1, 99.9}, kHigher).bimodal);
}

TEST(Verdict, IgnoresModesCloserThanNoiseMatters) {
  EXPECT_FALSE(judge(Values{1000, 1001, 1000, 1001, 1000, 1001}, kHigher).bimodal);
  EXPECT_TRUE(judge(Values{1000, 1030, 1000, 1030, 1000, 1030}, kHigher).bimodal);
}

TEST(Verdict, CallsASlowFirstTrialByTheDirectionOfTheMetric) {
  const Values low_first{50, 100, 101, 99, 100, 101, 99};
  const Values high_first{150, 100, 101, 99, 100, 101, 99};
  EXPECT_TRUE(judge(low_first, kHigher).slow_first);
  EXPECT_FALSE(judge(high_first, kHigher).slow_first);
  EXPECT_FALSE(judge(low_first, kLower).slow_first);
  EXPECT_TRUE(judge(high_first, kLower).slow_first);
  EXPECT_FALSE(judge(low_first, Direction::kNeutral).slow_first);
  EXPECT_EQ(judge(low_first, kHigher).words, "slow first trial");
  EXPECT_EQ(judge(low_first, kLower).words, "outlier at trial 1");
  EXPECT_THAT(judge(low_first, kHigher).outliers, ElementsAre(0U));
}

TEST(Verdict, TakesTheFirstTrialThatHasAValue) {
  EXPECT_TRUE(judge(Values{kNaN, 50, 100, 101, 99, 100, 101, 99}, kHigher).slow_first);
  EXPECT_FALSE(judge(Values{kNaN, 100, 50, 101, 99, 100, 101, 99}, kHigher).slow_first);
}

TEST(Verdict, ListsOutliersByTheirPlaceInTime) {
  const Verdict verdict = judge(Values{100, kNaN, 30, 101, 99, 100, 170, 101, 99}, kHigher);
  EXPECT_THAT(verdict.outliers, ElementsAre(2U, 6U));
  EXPECT_FALSE(verdict.slow_first);
  EXPECT_EQ(verdict.words, "outliers at trials 3, 7");
}

/// Median 100 and MAD 1 in both, so the limit is at 114.826.
TEST(Verdict, UsesHyperfinesThreshold) {
  EXPECT_THAT(judge(Values{99, 100, 101, 99, 100, 101, 114.8}, kHigher).outliers, IsEmpty());
  EXPECT_THAT(judge(Values{99, 100, 101, 99, 100, 101, 114.9}, kHigher).outliers, ElementsAre(6U));
}

TEST(Verdict, ScalesByTheMedianWhenMostTrialsAgreeExactly) {
  EXPECT_THAT(judge(Values{100, 100, 100, 100, 101, 100}, kHigher).outliers, IsEmpty());
  EXPECT_THAT(judge(Values{100, 100, 100, 100, 103, 100}, kHigher).outliers, ElementsAre(4U));
  EXPECT_THAT(judge(Values{0, 0, 0, 0, 1, 0}, kLower).outliers, ElementsAre(4U));
}

TEST(Verdict, DoesNotJudgeShapesFromFewTrials) {
  const Verdict verdict = judge(Values{50, 100, 101, 99, 100}, kHigher);
  EXPECT_THAT(verdict.outliers, IsEmpty());
  EXPECT_FALSE(verdict.slow_first);
}

TEST(Verdict, PutsAllFindingsInOneLine) {
  const Values samples{1, 100, 101, 99, 100, 101, 99, 100, 300};
  const Verdict verdict = judge(samples, kHigher);
  EXPECT_EQ(verdict.words, "slow first trial, outlier at trial 9");
  const Values modes{100, 70, 100.5, 71, 99, 69, 100, 70};
  EXPECT_EQ(judge(modes, kHigher).words, "unstable 17.6 %, bimodal (70 and 100)");
}

/// The rates of false alarms that the header gives, on 3 % of normal noise with a fixed seed.
TEST(Verdict, RaisesNoMoreFalseAlarmsThanTheHeaderSays) {
  struct Claim {
    std::size_t trials;
    double bimodal, outlier;
  };
  std::mt19937_64 random(17);
  std::normal_distribution<double> noise(100, 3);
  constexpr int kRuns = 20'000;
  for (const Claim& claim : {Claim{6, 0.045, 0.01}, Claim{9, 0.03, 0.005}, Claim{20, 0.001, 0}}) {
    int bimodal = 0;
    int outlier = 0;
    int slow_first = 0;
    for (int run = 0; run < kRuns; ++run) {
      Values samples(claim.trials);
      for (double& value : samples) value = noise(random);
      const Verdict verdict = judge(samples, kHigher);
      bimodal += verdict.bimodal ? 1 : 0;
      outlier += verdict.outliers.empty() ? 0 : 1;
      slow_first += verdict.slow_first ? 1 : 0;
    }
    // Four standard deviations of a rate counted in kRuns runs, at least a few single ones.
    const auto at_most = [](double rate) {
      return rate + 4 * std::sqrt(std::max(rate, 0.0001) / kRuns);
    };
    EXPECT_LE(bimodal / double{kRuns}, at_most(claim.bimodal)) << claim.trials;
    EXPECT_LE(outlier / double{kRuns}, at_most(claim.outlier)) << claim.trials;
    EXPECT_LE(slow_first / double{kRuns}, at_most(0.001)) << claim.trials;
  }
}

}  // namespace
}  // namespace futex_bench
