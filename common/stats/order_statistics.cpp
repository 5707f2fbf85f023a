// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace futex_bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What rounding may take from a probability that is exactly at its limit.
constexpr double kRoundingSlack = 1e-12;

double median_of_sorted(std::span<const double> sorted) {
  if (sorted.empty()) return kNaN;
  const std::size_t upper = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[upper];
  return std::midpoint(sorted[upper - 1], sorted[upper]);
}

/// P(X <= k) for X ~ Bin(n, 1/2) and k < n/2. The weights C(n, i) are taken relative to the largest
/// one, in the middle, and summed outwards until they vanish: 2^-n is never formed, so nothing
/// overflows and only terms too small for a double are lost.
double lower_tail(std::size_t n, std::size_t k) {
  double weight = 1;
  double total = 0;
  double tail = 0;
  for (std::size_t i = n / 2; weight > 0; --i) {
    const bool is_own_mirror = 2 * i == n;
    total += is_own_mirror ? weight : 2 * weight;
    if (i <= k) tail += weight;
    if (i == 0) break;
    weight *= static_cast<double>(i) / static_cast<double>(n - i + 1);
  }
  return tail / total;
}

/// P(X < k) + P(X > n - k): how often [x_(k), x_(n+1-k)] misses the median. `k` is in 1..(n+1)/2.
double miss_probability(std::size_t n, std::size_t k) {
  if (2 * (k - 1) + 1 >= n) return 1;  // an odd n and its middle value alone: always missed
  return 2 * lower_tail(n, k - 1);
}

}  // namespace

std::vector<double> sorted_finite(std::span<const double> values) {
  std::vector<double> sorted;
  sorted.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
               [](double value) { return std::isfinite(value); });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double median(std::span<const double> values) { return median_of_sorted(sorted_finite(values)); }

std::optional<Ranks> interval_ranks(std::size_t n, double confidence) {
  const double allowed = 1 - confidence + kRoundingSlack;
  // The largest k that still covers; the more is cut off, the more is missed.
  std::size_t covers = 0;
  std::size_t fails = (n + 1) / 2 + 1;
  while (fails - covers > 1) {
    const std::size_t k = covers + (fails - covers) / 2;
    (miss_probability(n, k) <= allowed ? covers : fails) = k;
  }
  if (covers == 0) return std::nullopt;
  return Ranks{covers, n + 1 - covers};
}

Summary summarize(std::span<const double> values) {
  const std::vector<double> sorted = sorted_finite(values);
  if (sorted.empty()) return {0, kNaN, kNaN, kNaN, kNaN, kNaN, false};
  const auto ranks = interval_ranks(sorted.size());
  return {
      .count = sorted.size(),
      .median = median_of_sorted(sorted),
      .low = ranks ? sorted[ranks->low - 1] : sorted.front(),
      .high = ranks ? sorted[ranks->high - 1] : sorted.back(),
      .min = sorted.front(),
      .max = sorted.back(),
      .has_interval = ranks.has_value(),
  };
}

double relative_half_width(const Summary& summary) {
  if (!summary.has_interval || summary.median == 0) return kNaN;
  return 100 * (summary.high - summary.low) / 2 / std::abs(summary.median);
}

RatioEstimate paired_ratio(std::span<const double> base, std::span<const double> other,
                           double confidence) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(base.size(), other.size()); ++i) {
    if (!std::isfinite(base[i]) || !std::isfinite(other[i])) continue;
    if (base[i] < 0 || other[i] < 0) continue;
    // The difference of the logarithms cannot overflow; the quotient can. Infinite if one is 0.
    const bool both_zero = base[i] == 0 && other[i] == 0;
    logs.push_back(both_zero ? 0 : std::log(other[i]) - std::log(base[i]));
  }
  if (logs.empty()) return {kNaN, kNaN, kNaN, kNaN, 0, false};
  std::sort(logs.begin(), logs.end());

  const auto below = static_cast<std::size_t>(
      std::count_if(logs.begin(), logs.end(), [](double l) { return l < 0; }));
  const auto above = static_cast<std::size_t>(
      std::count_if(logs.begin(), logs.end(), [](double l) { return l > 0; }));
  const auto ranks = interval_ranks(logs.size(), confidence);
  return {
      .ratio = std::exp(median_of_sorted(logs)),
      .low = std::exp(ranks ? logs[ranks->low - 1] : logs.front()),
      .high = std::exp(ranks ? logs[ranks->high - 1] : logs.back()),
      .p_value = sign_test_p(above, below, logs.size() - above - below),
      .pairs = logs.size(),
      .has_interval = ranks.has_value(),
  };
}

double sign_test_p(std::size_t above, std::size_t below, std::size_t ties) {
  const std::size_t n = above + below + ties;
  const std::size_t smaller = std::min(above, below) + ties;
  if (2 * smaller + 1 >= n) return 1;
  return 2 * lower_tail(n, smaller);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });

  std::vector<double> adjusted(p.size(), kNaN);
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto remaining = static_cast<double>(order.size() - i);
    largest = std::min(1.0, std::max(largest, remaining * p[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::size_t rounds_needed(std::size_t rows, double alpha) {
  std::size_t n = 6;
  // The p of a sign test in which every round points the same way, times Bonferroni's factor.
  double smallest = static_cast<double>(rows) * 0x1p-5;
  for (; smallest > alpha && smallest > 0; smallest /= 2) ++n;
  return n;
}

std::uint64_t nearest_rank(std::uint64_t count, double p) {
  if (!(p > 0)) return 1;
  if (p >= 100) return count;
  // A decimal p is off by up to 2^-53 of itself as a double, the product by a little more.
  const long double exact = static_cast<long double>(count) * p / 100;
  const auto rank = static_cast<std::uint64_t>(std::ceil(exact * (1 - 0x1p-52L)));
  return std::clamp<std::uint64_t>(rank, 1, count);
}

double percentile(std::span<const double> sorted, double p) {
  if (sorted.empty()) return kNaN;
  return sorted[static_cast<std::size_t>(nearest_rank(sorted.size(), p) - 1)];
}

}  // namespace futex_bench
