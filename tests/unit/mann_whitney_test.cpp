// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/mann_whitney.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace futex_bench {
namespace {

using ::testing::IsNan;
using Values = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// n values against the numbers 1..m so that exactly `u` pairs have the first one larger.
std::pair<Values, Values> samples_with_u(std::size_t n, std::size_t m, std::size_t u) {
  Values a;
  Values b;
  for (std::size_t j = 1; j <= m; ++j) b.push_back(static_cast<double>(j));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t above = std::min(u, m);
    u -= above;
    a.push_back(static_cast<double>(above) + 0.5 + 0.01 * static_cast<double>(i));
  }
  return {a, b};
}

/// Twice the number of pairs with the first one larger, ties counted half.
int doubled_u(const Values& a, const Values& b) {
  int u = 0;
  for (const double x : a) {
    for (const double y : b) u += x > y ? 2 : x == y ? 1 : 0;
  }
  return u;
}

/// The definition of the permutation test: deals the pooled values out in every possible way.
double brute_force_p(const Values& a, const Values& b) {
  Values pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  const int expected = static_cast<int>(a.size() * b.size());
  const int observed = std::abs(doubled_u(a, b) - expected);
  int all = 0;
  int as_far = 0;
  for (unsigned set = 0; set < 1U << pooled.size(); ++set) {
    Values first;
    Values second;
    for (std::size_t i = 0; i < pooled.size(); ++i) {
      (set >> i & 1U ? first : second).push_back(pooled[i]);
    }
    if (first.size() != a.size()) continue;
    ++all;
    if (std::abs(doubled_u(first, second) - expected) >= observed) ++as_far;
  }
  return static_cast<double>(as_far) / all;
}

Values powers_of_e(Values logs) {
  for (double& value : logs) value = std::exp(value);
  return logs;
}

TEST(MannWhitney, SmallestPossiblePIsTwoOverTheNumberOfWays) {
  const std::vector<std::pair<std::size_t, double>> cases{
      {3, 2.0 / 20}, {4, 2.0 / 70}, {5, 2.0 / 252}, {7, 2.0 / 3432}, {20, 2.0 / 137846528820}};
  for (const auto& [n, p] : cases) {
    const auto [a, b] = samples_with_u(n, n, 0);
    EXPECT_DOUBLE_EQ(mann_whitney_p(a, b), p) << n;
    EXPECT_DOUBLE_EQ(mann_whitney_p(b, a), p) << n;
  }
}

/// Critical values of U, two-sided 5 %, as printed in textbooks.
TEST(MannWhitney, AgreesWithThePublishedCriticalValues) {
  struct Row {
    std::size_t n, m, u;
  };
  for (const auto& [n, m, u] :
       {Row{4, 4, 0}, Row{5, 5, 2}, Row{5, 8, 6}, Row{6, 6, 5}, Row{7, 7, 8}, Row{8, 8, 13},
        Row{9, 9, 17}, Row{10, 10, 23}, Row{10, 20, 55}, Row{15, 15, 64}, Row{20, 20, 127}}) {
    const auto [a, b] = samples_with_u(n, m, u);
    const auto [c, d] = samples_with_u(n, m, u + 1);
    EXPECT_LE(mann_whitney_p(a, b), 0.05) << n << " " << m;
    EXPECT_GT(mann_whitney_p(c, d), 0.05) << n << " " << m;
  }
}

/// Every sample of 1..4 values each from {1, 2, 3}: with all ties there can be, and few or none.
TEST(MannWhitney, AgreesWithBruteForceWithTies) {
  for (std::size_t n = 1; n <= 4; ++n) {
    for (std::size_t m = 1; m <= 4; ++m) {
      const auto all = static_cast<unsigned>(std::pow(3, n + m));
      for (unsigned pattern = 0; pattern < all; pattern += n + m < 7 ? 1 : 7) {
        Values a;
        Values b;
        unsigned rest = pattern;
        for (std::size_t i = 0; i < n + m; ++i, rest /= 3) {
          (i < n ? a : b).push_back(rest % 3 + 1);
        }
        ASSERT_DOUBLE_EQ(mann_whitney_p(a, b), brute_force_p(a, b)) << n << m << " " << pattern;
      }
    }
  }
}

TEST(MannWhitney, AgreesWithBruteForceWithoutTies) {
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t n = 1 + random() % 6;
    const std::size_t m = 1 + random() % 6;
    Values pooled(n + m);
    for (std::size_t i = 0; i < pooled.size(); ++i) pooled[i] = static_cast<double>(i * i);
    std::shuffle(pooled.begin(), pooled.end(), random);
    const Values a(pooled.begin(), pooled.begin() + static_cast<std::ptrdiff_t>(n));
    const Values b(pooled.begin() + static_cast<std::ptrdiff_t>(n), pooled.end());
    ASSERT_DOUBLE_EQ(mann_whitney_p(a, b), brute_force_p(a, b));
  }
}

TEST(MannWhitney, ApproximationContinuesTheExactTest) {
  for (const std::size_t u : {std::size_t{200}, std::size_t{300}, std::size_t{400}}) {
    const auto [a, b] = samples_with_u(30, 30, u);
    auto [c, d] = samples_with_u(31, 30, u + 15);  // one more value, in the middle
    EXPECT_NEAR(mann_whitney_p(c, d), mann_whitney_p(a, b), 0.02) << u;
  }
}

/// 40 zeros and 10 ones against 20 zeros and 30 ones: U = 600, and the formula by hand.
TEST(MannWhitney, ApproximationCorrectsForTies) {
  Values a(50, 0.0);
  Values b(50, 0.0);
  std::fill_n(a.begin(), 10, 1.0);
  std::fill_n(b.begin(), 30, 1.0);
  const double ties = (60.0 * 60 * 60 - 60) + (40.0 * 40 * 40 - 40);
  const double deviation = std::sqrt(2500.0 / 12 * (101 - ties / (100.0 * 99)));
  const double z = (500 - 0.5) / deviation;
  EXPECT_NEAR(mann_whitney_p(a, b), std::erfc(z / std::sqrt(2.0)), 1e-12);
}

TEST(MannWhitney, IsOneIfNothingDiffers) {
  EXPECT_EQ(mann_whitney_p(Values(5, 3.0), Values(7, 3.0)), 1);
  EXPECT_EQ(mann_whitney_p(Values(50, 3.0), Values(70, 3.0)), 1);
  const auto [a, b] = samples_with_u(40, 40, 800);
  EXPECT_EQ(mann_whitney_p(a, b), 1);
}

TEST(MannWhitney, OfNothingIsNothing) {
  EXPECT_THAT(mann_whitney_p(Values{}, Values{1}), IsNan());
  EXPECT_THAT(mann_whitney_p(Values{1}, Values{kNaN}), IsNan());
}

/// Permeability of membranes, the worked example of Hollander & Wolfe (1973), section 4.1 to 4.3
/// (also in the manual of R's wilcox.test): one-sided p .1272, estimate .305, interval (-.15, .76).
TEST(HodgesLehmann, ReproducesAPublishedExample) {
  const Values at_term{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Values early{1.15, 0.88, 0.90, 0.74, 1.21};
  const ShiftEstimate shift = hodges_lehmann_ratio(powers_of_e(early), powers_of_e(at_term));
  EXPECT_NEAR(shift.p_value, 2 * 0.1272, 1e-4);
  EXPECT_NEAR(std::log(shift.ratio), 0.305, 1e-9);
  EXPECT_NEAR(std::log(shift.low), -0.15, 1e-9);
  EXPECT_NEAR(std::log(shift.high), 0.76, 1e-9);
  EXPECT_TRUE(shift.has_interval);
}

TEST(HodgesLehmann, FindsAFactor) {
  const Values base{100, 101, 102, 103, 104, 105};
  Values other = base;
  for (double& value : other) value *= 1.5;
  const ShiftEstimate shift = hodges_lehmann_ratio(base, other);
  EXPECT_NEAR(shift.ratio, 1.5, 1e-12);
  EXPECT_NEAR(shift.low * shift.high, 1.5 * 1.5, 1e-9);
  EXPECT_DOUBLE_EQ(shift.p_value, 2.0 / 924);
  const ShiftEstimate back = hodges_lehmann_ratio(other, base);
  EXPECT_NEAR(back.ratio, 1 / 1.5, 1e-12);
  EXPECT_NEAR(back.low, 1 / shift.high, 1e-12);
}

TEST(HodgesLehmann, HasNoIntervalForTooFewTrials) {
  const ShiftEstimate shift = hodges_lehmann_ratio(Values{1, 2, 4}, Values{8, 16, 32});
  EXPECT_FALSE(shift.has_interval);
  EXPECT_NEAR(shift.low, 2, 1e-12);
  EXPECT_NEAR(shift.high, 32, 1e-12);
  EXPECT_TRUE(hodges_lehmann_ratio(Values{1, 2, 4, 5}, Values{8, 16, 32, 33}).has_interval);
}

TEST(HodgesLehmann, LeavesOutWhatHasNoLogarithm) {
  const ShiftEstimate shift = hodges_lehmann_ratio(Values{0, -1, kNaN, 2}, Values{6, 0});
  EXPECT_NEAR(shift.ratio, 3, 1e-12);
  EXPECT_EQ(shift.p_value, 1);
  EXPECT_THAT(hodges_lehmann_ratio(Values{0}, Values{1}).ratio, IsNan());
  EXPECT_THAT(hodges_lehmann_ratio(Values{0}, Values{1}).p_value, IsNan());
}

/// The interval inverts the test: it excludes 1 exactly when the test rejects. Exact and normal.
TEST(HodgesLehmann, IntervalAndPValueAgree) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise;
  int shown = 0;
  const int repeats = 600;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const bool large = repeat % 10 == 0;
    const std::size_t n = large ? 31 + random() % 9 : 2 + random() % 9;
    const std::size_t m = large ? 31 + random() % 9 : 2 + random() % 9;
    const double shift = static_cast<double>(random() % 4) * (large ? 0.25 : 0.6);
    Values base(n);
    Values other(m);
    for (double& value : base) value = std::exp(noise(random));
    for (double& value : other) value = std::exp(shift + noise(random));
    const double confidence = repeat % 2 == 0 ? 0.95 : 0.8;
    const ShiftEstimate estimate = hodges_lehmann_ratio(base, other, confidence);
    const bool excludes_one = estimate.has_interval && (estimate.low > 1 || estimate.high < 1);
    ASSERT_EQ(excludes_one, estimate.p_value <= 1 - confidence + 1e-9) << n << " " << m;
    shown += excludes_one ? 1 : 0;
  }
  EXPECT_GT(shown, repeats / 10);
  EXPECT_LT(shown, repeats * 9 / 10);
}

/// The ends of the interval are where the test starts to reject. Exact and normal.
TEST(HodgesLehmann, EndsAreWhereTheTestTurns) {
  std::mt19937_64 random(13);
  std::lognormal_distribution<double> draw;
  for (const std::size_t n : {std::size_t{9}, std::size_t{30}, std::size_t{31}, std::size_t{64}}) {
    Values base(n);
    Values other(n + 3);
    for (double& value : base) value = draw(random);
    for (double& value : other) value = draw(random);
    const ShiftEstimate estimate = hodges_lehmann_ratio(base, other);
    const auto p_if_divided_by = [&](double factor) {
      Values moved = other;
      for (double& value : moved) value /= factor;
      return mann_whitney_p(base, moved);
    };
    EXPECT_LE(p_if_divided_by(estimate.low * (1 - 1e-9)), 0.05) << n;
    EXPECT_GT(p_if_divided_by(estimate.low * (1 + 1e-9)), 0.05) << n;
    EXPECT_GT(p_if_divided_by(estimate.high * (1 - 1e-9)), 0.05) << n;
    EXPECT_LE(p_if_divided_by(estimate.high * (1 + 1e-9)), 0.05) << n;
  }
}

TEST(SmallestDetectableRatio, IsTheDistanceToTheFartherEnd) {
  const Values base{100, 103, 98, 101, 97, 104, 99};
  const Values other{101, 99, 105, 96, 100, 110, 98};
  const ShiftEstimate shift = hodges_lehmann_ratio(base, other, 0.99);
  const double detectable = smallest_detectable_ratio(base, other, 0.99);
  EXPECT_DOUBLE_EQ(detectable, std::max(shift.ratio / shift.low, shift.high / shift.ratio));
  EXPECT_GT(detectable, smallest_detectable_ratio(base, other, 0.8));
}

/// What it promises: with the same scatter, a little more than that is shown in either direction.
TEST(SmallestDetectableRatio, WouldHaveBeenShown) {
  const Values base{100, 103, 98, 101, 97, 104, 99};
  const Values other{101, 99, 105, 96, 100, 110, 98};
  const double centre = hodges_lehmann_ratio(base, other).ratio;
  const double detectable = smallest_detectable_ratio(base, other, 0.95);
  ASSERT_GT(detectable, 1);
  const auto p_at = [&](double ratio) {
    Values moved = other;
    for (double& value : moved) value *= ratio / centre;
    return mann_whitney_p(base, moved);
  };
  EXPECT_LE(p_at(detectable * 1.001), 0.05);
  EXPECT_LE(p_at(1 / (detectable * 1.001)), 0.05);
  EXPECT_GT(std::max(p_at(detectable / 1.001), p_at(1.001 / detectable)), 0.05);
}

TEST(SmallestDetectableRatio, DoesNotExistForTooFewTrials) {
  EXPECT_THAT(smallest_detectable_ratio(Values{1, 2, 3}, Values{1, 2, 3}, 0.95), IsNan());
  EXPECT_THAT(smallest_detectable_ratio(Values{}, Values{1}, 0.95), IsNan());
}

}  // namespace
}  // namespace futex_bench
