// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/order_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace futex_bench {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsNan;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

/// 1 - 2 P(Bin(n, 1/2) < k) in integers, for n <= 60.
double exact_coverage(unsigned n, unsigned k) {
  std::uint64_t below = 0;
  std::uint64_t choose = 1;
  for (unsigned i = 0; i < k; ++i) {
    below += choose;
    choose = choose * (n - i) / (i + 1);
  }
  return 1 - 2 * std::ldexp(static_cast<double>(below), -static_cast<int>(n));
}

TEST(Median, TakesTheMiddleOrTheMeanOfTheTwoMiddle) {
  EXPECT_EQ(median(Values{5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5, 6}), 5.5);
  EXPECT_THAT(median(Values{}), IsNan());
}

TEST(Median, DoesNotOverflowAndLeavesOutWhatIsNotFinite) {
  EXPECT_EQ(median(Values{1.5e308, 1.7e308}), 1.6e308);
  EXPECT_EQ(median(Values{kNaN, 3, kInfinity, 1, -kInfinity, 2}), 2);
}

TEST(IntervalRanks, AgreeWithThePublishedTable) {
  EXPECT_EQ(interval_ranks(6), (Ranks{1, 6}));
  EXPECT_EQ(interval_ranks(9), (Ranks{2, 8}));
  EXPECT_EQ(interval_ranks(10), (Ranks{2, 9}));
  EXPECT_EQ(interval_ranks(12), (Ranks{3, 10}));
  EXPECT_EQ(interval_ranks(15), (Ranks{4, 12}));
  EXPECT_EQ(interval_ranks(20), (Ranks{6, 15}));
  EXPECT_EQ(interval_ranks(30), (Ranks{10, 21}));
  EXPECT_EQ(interval_ranks(100), (Ranks{40, 61}));
}

TEST(IntervalRanks, DoNotExistForTooFewValues) {
  for (std::size_t n = 0; n < 6; ++n) EXPECT_FALSE(interval_ranks(n)) << n;
  EXPECT_FALSE(interval_ranks(7, 0.99));
  EXPECT_EQ(interval_ranks(8, 0.99), (Ranks{1, 8}));
}

TEST(IntervalRanks, CoverAndAreTheNarrowestForEverySmallSample) {
  for (const double confidence : {0.5, 0.8, 0.9, 0.95, 0.99, 0.9985}) {
    for (unsigned n = 1; n <= 60; ++n) {
      const auto ranks = interval_ranks(n, confidence);
      const auto k = ranks ? static_cast<unsigned>(ranks->low) : 0U;
      if (ranks) {
        EXPECT_EQ(ranks->high, n + 1 - k);
        EXPECT_LE(ranks->low, ranks->high);
        EXPECT_GE(exact_coverage(n, k), confidence - 1e-11) << n;
      }
      if (2 * (k + 1) <= n + 1) {
        EXPECT_LT(exact_coverage(n, k + 1), confidence) << n;
      }
    }
  }
}

TEST(IntervalRanks, CountACoverageThatIsMetExactly) {
  EXPECT_EQ(interval_ranks(5, 0.9375), (Ranks{1, 5}));
  EXPECT_FALSE(interval_ranks(5, 0.9376));
}

TEST(IntervalRanks, FollowTheNormalLimitForLargeSamples) {
  for (const std::size_t n : {std::size_t{2000}, std::size_t{99'999}, std::size_t{1'000'000}}) {
    const auto ranks = interval_ranks(n);
    ASSERT_TRUE(ranks);
    const auto size = static_cast<double>(n);
    const double expected = (size + 1) / 2 - 1.959964 * std::sqrt(size) / 2;
    EXPECT_NEAR(static_cast<double>(ranks->low), expected, 1.0) << n;
    EXPECT_EQ(ranks->low + ranks->high, n + 1);
  }
}

TEST(Summarize, GivesIntervalAndRange) {
  const Summary summary = summarize(Values{9, 3, 7, 1, 5, 8, 2, 6, 4});
  EXPECT_EQ(summary.count, 9U);
  EXPECT_EQ(summary.median, 5);
  EXPECT_EQ(summary.low, 2);
  EXPECT_EQ(summary.high, 8);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 9);
  EXPECT_TRUE(summary.has_interval);
  EXPECT_DOUBLE_EQ(relative_half_width(summary), 60);
}

TEST(Summarize, FallsBackToTheRangeBelowSixValues) {
  const Summary summary = summarize(Values{5, 1, kNaN, 4, 2, 3, kInfinity});
  EXPECT_EQ(summary.count, 5U);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.low, 1);
  EXPECT_EQ(summary.high, 5);
  EXPECT_FALSE(summary.has_interval);
  EXPECT_THAT(relative_half_width(summary), IsNan());
}

TEST(Summarize, OfNothingIsNothing) {
  const Summary summary = summarize(Values{kNaN});
  EXPECT_EQ(summary.count, 0U);
  EXPECT_FALSE(summary.has_interval);
  for (const double value : {summary.median, summary.low, summary.high, summary.min, summary.max}) {
    EXPECT_THAT(value, IsNan());
  }
  EXPECT_THAT(relative_half_width(summary), IsNan());
}

TEST(RelativeHalfWidth, IsUndefinedAroundZeroAndPositiveForNegativeMedians) {
  EXPECT_THAT(relative_half_width(summarize(Values{-3, -2, -1, 1, 2, 3})), IsNan());
  EXPECT_DOUBLE_EQ(relative_half_width(summarize(Values{-12, -10, -10, -10, -10, -8})), 20);
}

TEST(SignTest, AgreesWithHandComputedTails) {
  EXPECT_DOUBLE_EQ(sign_test_p(5, 0, 0), 0.0625);
  EXPECT_DOUBLE_EQ(sign_test_p(6, 0, 0), 0.03125);
  EXPECT_DOUBLE_EQ(sign_test_p(0, 11, 0), 2.0 / 2048);
  EXPECT_DOUBLE_EQ(sign_test_p(8, 1, 0), 2 * (1 + 9) / 512.0);
  EXPECT_DOUBLE_EQ(sign_test_p(2, 8, 0), 2 * (1 + 10 + 45) / 1024.0);
  EXPECT_EQ(sign_test_p(3, 3, 0), 1);
  EXPECT_EQ(sign_test_p(4, 3, 0), 1);
  EXPECT_EQ(sign_test_p(0, 0, 0), 1);
  EXPECT_EQ(sign_test_p(1, 0, 0), 1);
}

TEST(SignTest, CountsTiesAgainstADifference) {
  EXPECT_DOUBLE_EQ(sign_test_p(8, 0, 1), sign_test_p(8, 1, 0));
  EXPECT_DOUBLE_EQ(sign_test_p(1, 7, 1), sign_test_p(2, 7, 0));
  EXPECT_EQ(sign_test_p(0, 0, 9), 1);
  EXPECT_EQ(sign_test_p(2, 0, 7), 1);
}

TEST(PairedRatio, TakesTheMedianOfTheRatiosOfTheRounds) {
  const Values base{10, 20, 30, 40, 50, 60};
  const Values other{11, 24, 39, 56, 75, 96};  // 1.1 1.2 1.3 1.4 1.5 1.6
  const RatioEstimate estimate = paired_ratio(base, other);
  EXPECT_NEAR(estimate.ratio, std::sqrt(1.3 * 1.4), 1e-12);
  EXPECT_NEAR(estimate.low, 1.1, 1e-12);
  EXPECT_NEAR(estimate.high, 1.6, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.p_value, 0.03125);
  EXPECT_EQ(estimate.pairs, 6U);
  EXPECT_TRUE(estimate.has_interval);
}

TEST(PairedRatio, LeavesOutRoundsWithoutTwoUsableValues) {
  const Values base{kNaN, 1, 1, 1, -1, 1, kInfinity, 4, 1};
  const Values other{1, kNaN, -1, -0.5, 1, 3, 1, 4};
  const RatioEstimate estimate = paired_ratio(base, other);
  EXPECT_EQ(estimate.pairs, 2U);
  EXPECT_NEAR(estimate.ratio, std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(estimate.low, 1, 1e-12);
  EXPECT_NEAR(estimate.high, 3, 1e-12);
  EXPECT_FALSE(estimate.has_interval);
  EXPECT_EQ(estimate.p_value, 1);
}

TEST(PairedRatio, ZerosCountOnTheirSide) {
  // Leaving them out would be to choose among the rounds by their outcome: 3 x 2 is no win here.
  const RatioEstimate lost = paired_ratio(Values(9, 1.0), Values{0, 0, 0, 0, 0, 0, 2, 2, 2});
  EXPECT_EQ(lost.pairs, 9U);
  EXPECT_EQ(lost.ratio, 0);
  EXPECT_EQ(lost.p_value, sign_test_p(3, 6, 0));
  const RatioEstimate won = paired_ratio(Values(9, 0.0), Values(9, 1.0));
  EXPECT_EQ(won.ratio, kInfinity);
  EXPECT_EQ(won.p_value, sign_test_p(9, 0, 0));
  const RatioEstimate equal = paired_ratio(Values(9, 0.0), Values(9, 0.0));
  EXPECT_EQ(equal.ratio, 1);
  EXPECT_EQ(equal.p_value, 1);
}

TEST(PairedRatio, OfNothingIsNothing) {
  const RatioEstimate estimate = paired_ratio(Values{kNaN, 1}, Values{1});
  EXPECT_EQ(estimate.pairs, 0U);
  EXPECT_THAT(estimate.ratio, IsNan());
  EXPECT_THAT(estimate.p_value, IsNan());
}

TEST(PairedRatio, SurvivesValuesWhoseQuotientOverflows) {
  const RatioEstimate estimate = paired_ratio(Values{1e-200, 1, 1e-200}, Values{1e-200, 1, 1e200});
  EXPECT_EQ(estimate.ratio, 1);
  EXPECT_EQ(estimate.low, 1);
}

/// All 3^7 patterns of better, equal and worse rounds.
TEST(PairedRatio, PValueAndIntervalAgreeForEveryPattern) {
  const Values base(7, 1.0);
  int differences = 0;
  for (int pattern = 0; pattern < 2187; ++pattern) {
    Values other;
    for (int i = 0, rest = pattern; i < 7; ++i, rest /= 3) {
      other.push_back(std::pow(2, rest % 3 - 1));
    }
    for (const double confidence : {0.8, 0.95}) {
      const RatioEstimate estimate = paired_ratio(base, other, confidence);
      const bool excludes_one = estimate.low > 1 || estimate.high < 1;
      EXPECT_EQ(estimate.p_value <= 1 - confidence, excludes_one) << pattern;
      differences += excludes_one ? 1 : 0;
    }
  }
  // 80 %: at most one round that is not on the side of the rest, 2 * (1 + 7 * 2); 95 %: none, 2.
  EXPECT_EQ(differences, 30 + 2);
}

TEST(Holm, AgreesWithHandComputedValues) {
  EXPECT_THAT(holm(Values{0.03, 0.01, 0.04, 0.02}),
              ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.06, 1e-12),
                          DoubleNear(0.06, 1e-12)));
  EXPECT_THAT(holm(Values{0.01}), ElementsAre(0.01));
  EXPECT_THAT(holm(Values{0.6, 0.5}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm(Values{}), ElementsAre());
}

TEST(Holm, KeepsNaNAndDoesNotCountIt) {
  EXPECT_THAT(holm(Values{kNaN, 0.02, kNaN, 0.03}),
              ElementsAre(IsNan(), DoubleNear(0.04, 1e-12), IsNan(), DoubleNear(0.04, 1e-12)));
}

TEST(RoundsNeeded, AgreesWithTheSmallestSignTest) {
  EXPECT_EQ(rounds_needed(0), 6U);
  EXPECT_EQ(rounds_needed(1), 6U);
  EXPECT_EQ(rounds_needed(2), 7U);
  EXPECT_EQ(rounds_needed(3), 7U);
  EXPECT_EQ(rounds_needed(33), 11U);
  EXPECT_EQ(rounds_needed(1, 0.5), 6U);
  EXPECT_EQ(rounds_needed(1, 0.01), 8U);
  for (std::size_t rows = 1; rows < 200; ++rows) {
    const std::size_t n = rounds_needed(rows);
    const auto factor = static_cast<double>(rows);
    EXPECT_LE(factor * sign_test_p(n, 0, 0), 0.05) << rows;
    if (n > 6) {
      EXPECT_GT(factor * sign_test_p(n - 1, 0, 0), 0.05) << rows;
    }
  }
}

TEST(Percentile, FollowsTheNearestRankRule) {
  const Values sorted{15, 20, 35, 40, 50};
  EXPECT_EQ(percentile(sorted, 5), 15);
  EXPECT_EQ(percentile(sorted, 30), 20);
  EXPECT_EQ(percentile(sorted, 40), 20);
  EXPECT_EQ(percentile(sorted, 50), 35);
  EXPECT_EQ(percentile(sorted, 100), 50);
  EXPECT_EQ(percentile(sorted, 0), 15);
  EXPECT_EQ(percentile(sorted, -1), 15);
  EXPECT_EQ(percentile(sorted, 101), 50);
  EXPECT_EQ(percentile(sorted, kNaN), 15);
  EXPECT_THAT(percentile(Values{}, 50), IsNan());
}

TEST(NearestRank, IsNotPushedUpByTheRoundingOfDecimalPercentages) {
  EXPECT_EQ(nearest_rank(1000, 99.9), 999U);
  EXPECT_EQ(nearest_rank(10'000, 99.99), 9999U);
  EXPECT_EQ(nearest_rank(1000, 0.1), 1U);
  EXPECT_EQ(nearest_rank(1001, 99.9), 1000U);
  for (std::uint64_t tenths = 1; tenths <= 1000; ++tenths) {
    EXPECT_EQ(nearest_rank(1000, static_cast<double>(tenths) / 10), tenths);
  }
  EXPECT_EQ(nearest_rank(std::numeric_limits<std::uint64_t>::max(), 100),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(nearest_rank(std::uint64_t{1} << 50, 50), std::uint64_t{1} << 49);
}

}  // namespace
}  // namespace futex_bench
