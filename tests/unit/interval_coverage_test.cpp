// SPDX-License-Identifier: GPL-2.0-only
//
// Do intervals and tests keep their promises on the noise that benchmarks have? Simulated with
// fixed seeds, so the outcome is the same in every run.
//
// All tolerances are computed: a rate counted in R independent runs has the standard deviation
// sqrt(p (1 - p) / R), and four of them are allowed. Chance goes beyond that once in 16000 checks;
// there are about 100 here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "common/stats/mann_whitney.h"
#include "common/stats/order_statistics.h"

namespace futex_bench {
namespace {

using Random = std::mt19937_64;
using Values = std::vector<double>;

constexpr std::size_t kTrials[] = {6, 9, 20};

/// Standard deviations of a simulated rate that chance may take it away from the true one.
constexpr double kDeviations = 4;

double slack(double rate, int runs) { return kDeviations * std::sqrt(rate * (1 - rate) / runs); }

/// Distribution function of a normal distribution.
double normal_cdf(double x, double mean, double deviation) {
  return std::erfc((mean - x) / deviation / std::numbers::sqrt2) / 2;
}

/// A kind of noise around 1 and its exact distribution function.
///
/// The function is how coverage is counted, for every shape alike: an interval covers the true
/// median m if F(low) <= 1/2 <= F(high), which for a continuous increasing F is low <= m <= high.
/// So no shape needs a formula for m. The bimodal one has a well-defined m because its modes are
/// not equally frequent (60 % at 1.0, 40 % at 0.8): m is where F crosses 1/2, at the slow edge of
/// the upper mode, while with 50 : 50 every point between the modes would be as good as a median.
struct NoiseShape {
  std::string name;
  std::function<double(Random&)> draw;
  std::function<double(double)> cdf;
};

void PrintTo(const NoiseShape& shape, std::ostream* out) { *out << shape.name; }

std::string name_of(const ::testing::TestParamInfo<NoiseShape>& info) { return info.param.name; }

double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

double normal(Random& random, double deviation) {
  return std::normal_distribution<double>(0, deviation)(random);
}

NoiseShape normal_shape() {
  return {"normal", [](Random& random) { return 1 + normal(random, 0.03); },
          [](double x) { return normal_cdf(x, 1, 0.03); }};
}

NoiseShape skewed_shape() {
  return {"skewed", [](Random& random) { return std::exp(normal(random, 0.3)); },
          [](double x) { return normal_cdf(std::log(x), 0, 0.3); }};
}

/// 1 % of normal noise; 15 % of the runs lose 5 % to 35 %, evenly spread.
NoiseShape dips_shape() {
  const auto draw = [](Random& random) {
    const double level = uniform(random) < 0.15 ? 0.65 + 0.3 * uniform(random) : 1;
    return level + normal(random, 0.01);
  };
  const auto cdf = [](double x) {
    // The integral of the normal distribution function is z Phi(z) + phi(z), in closed form.
    const auto integral = [x](double level) {
      const double z = (x - level) / 0.01;
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      return 0.01 * (z * normal_cdf(z, 0, 1) + density);
    };
    const double dip = (integral(0.65) - integral(0.95)) / 0.3;
    return 0.85 * normal_cdf(x, 1, 0.01) + 0.15 * dip;
  };
  return {"dips", draw, cdf};
}

NoiseShape bimodal_shape() {
  return {"bimodal",
          [](Random& random) { return (uniform(random) < 0.6 ? 1.0 : 0.8) + normal(random, 0.01); },
          [](double x) { return 0.6 * normal_cdf(x, 1, 0.01) + 0.4 * normal_cdf(x, 0.8, 0.01); }};
}

/// P(Bin(n, 1/2) <= k).
double binomial_tail(std::size_t n, std::size_t k) {
  double tail = 0;
  double term = std::pow(0.5, n);
  for (std::size_t i = 0; i <= k; ++i) {
    tail += term;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return tail;
}

/// The size of the two-sided 5 % sign test: the largest p it can have that is still <= 5 %.
double sign_test_size(std::size_t n) {
  double size = 0;
  for (std::size_t k = 0; 2 * binomial_tail(n, k) <= 0.05; ++k) size = 2 * binomial_tail(n, k);
  return size;
}

class Noise : public ::testing::TestWithParam<NoiseShape> {
 protected:
  Values sample(Random& random, std::size_t n) const {
    Values values(n);
    for (double& value : values) value = GetParam().draw(random);
    return values;
  }
};

TEST_P(Noise, HasTheDistributionItClaims) {
  Random random(1);
  constexpr int kRuns = 20'000;
  for (const double x : {0.7, 0.8, 0.9, 0.98, 0.99, 1.0, 1.01, 1.05, 1.3}) {
    int below = 0;
    for (int run = 0; run < kRuns; ++run) below += GetParam().draw(random) <= x ? 1 : 0;
    const double expected = GetParam().cdf(x);
    EXPECT_NEAR(below / double{kRuns}, expected, slack(expected, kRuns) + 1e-9) << x;
  }
}

TEST_P(Noise, IntervalCoversTheMedianAsOftenAsItSays) {
  Random random(2);
  constexpr int kRuns = 20'000;
  for (const std::size_t n : kTrials) {
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      const Summary summary = summarize(sample(random, n));
      ASSERT_TRUE(summary.has_interval);
      covered += GetParam().cdf(summary.low) <= 0.5 && GetParam().cdf(summary.high) >= 0.5 ? 1 : 0;
    }
    const double coverage = covered / double{kRuns};
    EXPECT_GE(coverage, 0.94) << n;
    // Sign test and interval are two views of one thing, so its size is what the interval misses.
    const double expected = 1 - sign_test_size(n);
    EXPECT_NEAR(coverage, expected, slack(expected, kRuns)) << n;
  }
}

/// A against A, round by round, on a machine that gets 10 % slower during the run.
TEST_P(Noise, PairedRatioShowsNoDifferenceWhereThereIsNone) {
  Random random(3);
  constexpr int kRuns = 10'000;
  for (const std::size_t n : kTrials) {
    int shown = 0;
    for (int run = 0; run < kRuns; ++run) {
      Values base = sample(random, n);
      Values other = sample(random, n);
      for (std::size_t round = 0; round < n; ++round) {
        const double drift = 1 - 0.1 * static_cast<double>(round) / static_cast<double>(n);
        base[round] *= drift;
        other[round] *= drift;
      }
      const RatioEstimate estimate = paired_ratio(base, other);
      EXPECT_EQ(estimate.p_value <= 0.05, estimate.low > 1 || estimate.high < 1);
      shown += estimate.p_value <= 0.05 ? 1 : 0;
    }
    const double rate = shown / double{kRuns};
    EXPECT_LE(rate, 0.05 + slack(0.05, kRuns)) << n;
    EXPECT_NEAR(rate, sign_test_size(n), slack(sign_test_size(n), kRuns)) << n;
  }
}

TEST_P(Noise, HodgesLehmannShowsNoDifferenceWhereThereIsNone) {
  Random random(4);
  for (const std::size_t n : kTrials) {
    // The exact test of 20 against 20 takes 30 times as long as that of 9 against 9.
    const int runs = n >= 20 ? 300 : 1500;
    int rejected = 0;
    int excluded = 0;
    for (int run = 0; run < runs; ++run) {
      const ShiftEstimate shift = hodges_lehmann_ratio(sample(random, n), sample(random, n));
      ASSERT_TRUE(shift.has_interval);
      rejected += shift.p_value <= 0.05 ? 1 : 0;
      excluded += shift.low > 1 || shift.high < 1 ? 1 : 0;
    }
    EXPECT_LE(rejected / static_cast<double>(runs), 0.05 + slack(0.05, runs)) << n;
    EXPECT_LE(excluded / static_cast<double>(runs), 0.05 + slack(0.05, runs)) << n;
    // A test that never rejects would pass so far. Its true size is 4 % or more at these n.
    EXPECT_GE(rejected / static_cast<double>(runs), 0.04 - slack(0.04, runs)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Noise,
                         ::testing::Values(normal_shape(), skewed_shape(), dips_shape(),
                                           bimodal_shape()),
                         name_of);

/// The other half of the promise: 5 % more is found in 20 trials with 3 % noise, and never with the
/// wrong sign.
TEST(Power, FivePercentIsFoundInTwentyTrials) {
  Random random(5);
  constexpr int kRuns = 500;
  int paired = 0;
  int unpaired = 0;
  for (int run = 0; run < kRuns; ++run) {
    Values base(20);
    Values other(20);
    for (double& value : base) value = 1 + normal(random, 0.03);
    for (double& value : other) value = 1.05 * (1 + normal(random, 0.03));
    const RatioEstimate ratio = paired_ratio(base, other);
    const ShiftEstimate shift = hodges_lehmann_ratio(base, other);
    ASSERT_FALSE(ratio.high < 1);
    ASSERT_FALSE(shift.high < 1);
    paired += ratio.low > 1 ? 1 : 0;
    unpaired += shift.low > 1 ? 1 : 0;
  }
  EXPECT_GE(paired, kRuns * 8 / 10);
  EXPECT_GE(unpaired, kRuns * 9 / 10);
}

}  // namespace
}  // namespace futex_bench
