// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a histogram holds, free of its layout: made in the parent from the histograms of a trial,
/// kept with the trial, merged over trials, written to results and read from them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/stats/histogram.h"

namespace futex_bench {

/// Values from low to high, both inclusive.
struct DistributionBucket {
  double low = 0;
  double high = 0;
  std::uint64_t count = 0;
  bool operator==(const DistributionBucket&) const = default;
};

/// Counts per bucket, in ascending order without empty ones; count, smallest, largest and mean are
/// exact. All but the count are NaN if it is 0.
struct Distribution {
  std::vector<DistributionBucket> buckets;
  std::uint64_t count = 0;
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  double mean = std::numeric_limits<double>::quiet_NaN();

  /// Adds everything that `other` has counted. Buckets of equal bounds become one; others stay side
  /// by side, so both should come from histograms of one kind and scale.
  void merge(const Distribution& other);

  /// The p-th percentile (p in percent) by the nearest-rank rule: the middle of its bucket, exact at
  /// both ends; NaN if nothing was counted.
  double percentile(double p) const;

  /// The standard deviation (n - 1), taking each value for the middle of its bucket, which is within
  /// Histogram::kRelativeError of it; NaN for fewer than two values.
  double stddev() const;

  /// How many values are in buckets whose middle is from low to high, both inclusive.
  std::uint64_t count_within(double low, double high) const;
};

/// The contents of a histogram with every value multiplied by `scale`, as in nanoseconds to
/// microseconds.
Distribution distribution_of(const Histogram& histogram, double scale);

}  // namespace futex_bench
