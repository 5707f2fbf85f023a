// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace futex_bench {
namespace {

Histogram histogram_of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

TEST(DistributionTest, NothingCountedHasNoFigures) {
  const Distribution none = distribution_of(Histogram(), 1);
  EXPECT_EQ(none.count, 0U);
  EXPECT_TRUE(none.buckets.empty());
  EXPECT_TRUE(std::isnan(none.min) && std::isnan(none.max) && std::isnan(none.mean));
  EXPECT_TRUE(std::isnan(none.percentile(50)));
  EXPECT_TRUE(std::isnan(none.stddev()));
}

TEST(DistributionTest, ScalesEverything) {
  const Distribution us = distribution_of(histogram_of({1000, 3000, 3000, 5000}), 1e-3);
  EXPECT_EQ(us.count, 4U);
  EXPECT_DOUBLE_EQ(us.min, 1);
  EXPECT_DOUBLE_EQ(us.max, 5);
  EXPECT_DOUBLE_EQ(us.mean, 3);
  ASSERT_EQ(us.buckets.size(), 3U);
  EXPECT_EQ(us.buckets[1].count, 2U);
  EXPECT_LE(us.buckets[1].low, 3);
  EXPECT_GE(us.buckets[1].high, 3);
  EXPECT_NEAR(us.percentile(50), 3, 3 * Histogram::kRelativeError);
  // (2^2 + 0 + 0 + 2^2) / 3
  EXPECT_NEAR(us.stddev(), std::sqrt(8.0 / 3), 0.1);
}

TEST(DistributionTest, BucketsAreExactWhereTheHistogramIs) {
  const Distribution small = distribution_of(histogram_of({7, 7, 63}), 1);
  const std::vector<DistributionBucket> expected = {{7, 7, 2}, {63, 63, 1}};
  EXPECT_EQ(small.buckets, expected);
}

TEST(DistributionTest, TheLargestValueHasABucket) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t high_end = 0;
  histogram_of({kLargest})
      .for_each_slot([&](std::uint64_t low, std::uint64_t high, std::uint64_t count) {
        EXPECT_LT(low, high);
        EXPECT_EQ(count, 1U);
        high_end = high;
      });
  EXPECT_EQ(high_end, kLargest);
}

TEST(DistributionTest, EveryValueIsWithinItsSlot) {
  for (std::uint64_t value = 1; value < (std::uint64_t{1} << 62); value = value * 3 + 1) {
    histogram_of({value}).for_each_slot([&](std::uint64_t low, std::uint64_t high, std::uint64_t) {
      EXPECT_LE(low, value);
      EXPECT_GE(high, value);
    });
  }
}

TEST(DistributionTest, MergedEqualsCountedTogether) {
  Distribution merged = distribution_of(histogram_of({5, 100, 100, 9000}), 1);
  merged.merge(distribution_of(histogram_of({3, 100, 70'000}), 1));
  const Distribution together =
      distribution_of(histogram_of({5, 100, 100, 9000, 3, 100, 70'000}), 1);
  EXPECT_EQ(merged.buckets, together.buckets);
  EXPECT_EQ(merged.count, together.count);
  EXPECT_EQ(merged.min, together.min);
  EXPECT_EQ(merged.max, together.max);
  EXPECT_DOUBLE_EQ(merged.mean, together.mean);
}

TEST(DistributionTest, MergingNothingChangesNothing) {
  Distribution some = distribution_of(histogram_of({5, 6}), 1);
  some.merge(Distribution());
  EXPECT_EQ(some.count, 2U);
  EXPECT_EQ(some.mean, 5.5);
  Distribution none;
  none.merge(some);
  EXPECT_EQ(none.count, 2U);
  EXPECT_EQ(none.min, 5);
}

TEST(DistributionTest, CountsWithinABand) {
  const Distribution values = distribution_of(histogram_of({1, 2, 2, 3, 60}), 1);
  EXPECT_EQ(values.count_within(2, 3), 3U);
  EXPECT_EQ(values.count_within(0, 100), 5U);
  EXPECT_EQ(values.count_within(4, 59), 0U);
}

}  // namespace
}  // namespace futex_bench
