// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/distribution.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/stats/order_statistics.h"

namespace futex_bench {
namespace {

double middle(const DistributionBucket& bucket) { return (bucket.low + bucket.high) / 2; }

}  // namespace

void Distribution::merge(const Distribution& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const auto mine = static_cast<double>(count);
  const auto theirs = static_cast<double>(other.count);
  mean += (other.mean - mean) * (theirs / (mine + theirs));
  count += other.count;
  min = std::min(min, other.min);
  max = std::max(max, other.max);

  std::vector<DistributionBucket> both;
  both.reserve(buckets.size() + other.buckets.size());
  std::ranges::merge(buckets, other.buckets, std::back_inserter(both),
                     [](const DistributionBucket& a, const DistributionBucket& b) {
                       return a.low != b.low ? a.low < b.low : a.high < b.high;
                     });
  buckets.clear();
  for (const DistributionBucket& bucket : both) {
    if (!buckets.empty() && buckets.back().low == bucket.low &&
        buckets.back().high == bucket.high) {
      buckets.back().count += bucket.count;
    } else {
      buckets.push_back(bucket);
    }
  }
}

double Distribution::percentile(double p) const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t rank = nearest_rank(count, p);
  if (rank == 1) return min;
  if (rank == count) return max;
  std::uint64_t seen = 0;
  for (const DistributionBucket& bucket : buckets) {
    seen += bucket.count;
    if (seen >= rank) return std::clamp(middle(bucket), min, max);
  }
  return max;
}

double Distribution::stddev() const {
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0;
  for (const DistributionBucket& bucket : buckets) {
    const double distance = std::clamp(middle(bucket), min, max) - mean;
    squares += distance * distance * static_cast<double>(bucket.count);
  }
  return std::sqrt(squares / static_cast<double>(count - 1));
}

std::uint64_t Distribution::count_within(double low, double high) const {
  std::uint64_t within = 0;
  for (const DistributionBucket& bucket : buckets) {
    const double value = std::clamp(middle(bucket), min, max);
    if (value >= low && value <= high) within += bucket.count;
  }
  return within;
}

Distribution distribution_of(const Histogram& histogram, double scale) {
  Distribution distribution;
  if (histogram.count() == 0) return distribution;
  distribution.count = histogram.count();
  distribution.min = static_cast<double>(histogram.min()) * scale;
  distribution.max = static_cast<double>(histogram.max()) * scale;
  distribution.mean = histogram.mean() * scale;
  histogram.for_each_slot([&](std::uint64_t low, std::uint64_t high, std::uint64_t count) {
    distribution.buckets.push_back(
        {static_cast<double>(low) * scale, static_cast<double>(high) * scale, count});
  });
  return distribution;
}

}  // namespace futex_bench
