// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "common/stats/order_statistics.h"

namespace futex_bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What rounding may take from a probability that is exactly at its limit.
constexpr double kRoundingSlack = 1e-12;

/// Upper tail of the standard normal distribution.
double normal_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

/// Twice the mean ranks of the pooled values, so that a tie of two stays an integer.
struct PooledRanks {
  std::vector<std::uint64_t> doubled;  ///< of all values, in ascending order
  std::uint64_t doubled_sum_a = 0;     ///< over the values of the first sample
  double tie_sum = 0;                  ///< sum of t^3 - t over the groups of t equal values
};

PooledRanks rank_pooled(std::span<const double> sorted_a, std::span<const double> sorted_b) {
  std::vector<double> pooled(sorted_a.size() + sorted_b.size());
  std::merge(sorted_a.begin(), sorted_a.end(), sorted_b.begin(), sorted_b.end(), pooled.begin());

  PooledRanks ranks;
  for (auto group = pooled.begin(); group != pooled.end();) {
    const auto end = std::upper_bound(group, pooled.end(), *group);
    // The ranks first+1 .. last have the mean (first + 1 + last) / 2.
    const auto first = static_cast<std::uint64_t>(group - pooled.begin());
    const auto last = static_cast<std::uint64_t>(end - pooled.begin());
    ranks.doubled.insert(ranks.doubled.end(), last - first, first + 1 + last);
    const auto in_a = std::equal_range(sorted_a.begin(), sorted_a.end(), *group);
    ranks.doubled_sum_a +=
        static_cast<std::uint64_t>(in_a.second - in_a.first) * (first + 1 + last);
    const auto t = static_cast<double>(last - first);
    ranks.tie_sum += t * t * t - t;
    group = end;
  }
  return ranks;
}

/// Element s is the number of ways to choose `chosen` of the doubled ranks, given in ascending
/// order, with sum s. Adds one rank after the other: ways[k][s] grows by the ways to reach k - 1
/// and s - rank without it. Only sums that exist, and counts that can still get to `chosen`, are
/// looked at; that saves five sixths of the work.
std::vector<std::uint64_t> count_rank_sums(std::span<const std::uint64_t> doubled,
                                           std::size_t chosen) {
  const std::size_t all = doubled.size();
  std::vector<std::uint64_t> sum_of_first(all + 1);
  std::partial_sum(doubled.begin(), doubled.end(), sum_of_first.begin() + 1);
  const std::uint64_t largest = sum_of_first[all] - sum_of_first[all - chosen];
  std::vector<std::vector<std::uint64_t>> ways(chosen + 1, std::vector<std::uint64_t>(largest + 1));
  ways[0][0] = 1;
  for (std::size_t seen = 0; seen < all; ++seen) {
    const std::uint64_t rank = doubled[seen];
    const std::size_t still_to_come = all - seen - 1;
    const std::size_t fewest = chosen > still_to_come ? chosen - still_to_come : 1;
    for (std::size_t k = std::min(seen + 1, chosen); k >= fewest; --k) {
      // k - 1 of the ranks before this one sum up to no less and no more.
      const std::uint64_t low = sum_of_first[k - 1];
      const std::uint64_t high = sum_of_first[seen] - sum_of_first[seen - (k - 1)];
      for (std::uint64_t s = low; s <= high; ++s) ways[k][s + rank] += ways[k - 1][s];
    }
  }
  return std::move(ways[chosen]);
}

bool exact_is_possible(std::size_t n, std::size_t m) {
  return n <= kExactLimit && m <= kExactLimit;
}

double exact_p(const PooledRanks& ranks, std::size_t n) {
  const std::vector<std::uint64_t> ways = count_rank_sums(ranks.doubled, n);
  const std::uint64_t expected = n * (ranks.doubled.size() + 1);
  const auto distance = [expected](std::uint64_t sum) {
    return sum > expected ? sum - expected : expected - sum;
  };
  std::uint64_t as_far = 0;
  std::uint64_t all = 0;
  for (std::uint64_t sum = 0; sum < ways.size(); ++sum) {
    all += ways[sum];
    if (distance(sum) >= distance(ranks.doubled_sum_a)) as_far += ways[sum];
  }
  return static_cast<double>(as_far) / static_cast<double>(all);
}

double approximate_p(const PooledRanks& ranks, std::size_t n, std::size_t m) {
  const auto a = static_cast<double>(n);
  const auto b = static_cast<double>(m);
  const double all = a + b;
  const double variance = a * b / 12 * (all + 1 - ranks.tie_sum / (all * (all - 1)));
  const double distance =
      std::abs(static_cast<double>(ranks.doubled_sum_a) - a * (all + 1)) / 2 - 0.5;
  if (variance <= 0 || distance <= 0) return 1;
  return 2 * normal_tail(distance / std::sqrt(variance));
}

/// The largest c with 2 P(U < c) <= 1 - confidence without ties: the c-th smallest and the c-th
/// largest difference are the ends of the interval. 0 if there is none.
std::size_t critical_rank(std::size_t n, std::size_t m, double confidence) {
  const double allowed = (1 - confidence) / 2 + kRoundingSlack;
  const std::size_t half = (n * m + 1) / 2;
  if (exact_is_possible(n, m)) {
    std::vector<std::uint64_t> doubled(n + m);
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] = 2 * (i + 1);
    const std::vector<std::uint64_t> ways = count_rank_sums(doubled, n);
    const auto all = static_cast<double>(std::reduce(ways.begin(), ways.end(), std::uint64_t{0}));
    const std::size_t smallest_sum = n * (n + 1);  // doubled; U = (sum - smallest_sum) / 2
    std::uint64_t below = 0;
    std::size_t c = 0;
    while (c < half) {
      below += ways[smallest_sum + 2 * c];
      if (static_cast<double>(below) / all > allowed) break;
      ++c;
    }
    return c;
  }
  const double mean = static_cast<double>(n) * static_cast<double>(m) / 2;
  const double deviation = std::sqrt(mean * static_cast<double>(n + m + 1) / 6);
  std::size_t covers = 0;
  std::size_t fails = half + 1;
  while (fails - covers > 1) {
    const std::size_t c = covers + (fails - covers) / 2;
    const double below = normal_tail((mean - static_cast<double>(c) + 0.5) / deviation);
    (below <= allowed ? covers : fails) = c;
  }
  return covers;
}

double p_of_sorted(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return kNaN;
  const PooledRanks ranks = rank_pooled(a, b);
  return exact_is_possible(a.size(), b.size()) ? exact_p(ranks, a.size())
                                               : approximate_p(ranks, a.size(), b.size());
}

/// The positive ones of `values`, in ascending order.
std::vector<double> sorted_positive(std::span<const double> values) {
  std::vector<double> sorted = sorted_finite(values);
  sorted.erase(sorted.begin(), std::upper_bound(sorted.begin(), sorted.end(), 0.0));
  return sorted;
}

}  // namespace

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  return p_of_sorted(sorted_finite(a), sorted_finite(b));
}

ShiftEstimate hodges_lehmann_ratio(std::span<const double> base, std::span<const double> other,
                                   double confidence) {
  const std::vector<double> from = sorted_positive(base);
  const std::vector<double> to = sorted_positive(other);
  if (from.empty() || to.empty()) return {kNaN, kNaN, kNaN, kNaN, false};

  std::vector<double> logs;
  logs.reserve(from.size() * to.size());
  for (const double x : from) {
    for (const double y : to) logs.push_back(std::log(y) - std::log(x));
  }
  std::sort(logs.begin(), logs.end());
  const std::size_t c = critical_rank(from.size(), to.size(), confidence);
  return {
      .ratio = std::exp(median(logs)),
      .low = std::exp(c > 0 ? logs[c - 1] : logs.front()),
      .high = std::exp(c > 0 ? logs[logs.size() - c] : logs.back()),
      .p_value = p_of_sorted(from, to),
      .has_interval = c > 0,
  };
}

double smallest_detectable_ratio(std::span<const double> base, std::span<const double> other,
                                 double confidence) {
  const ShiftEstimate shift = hodges_lehmann_ratio(base, other, confidence);
  if (!shift.has_interval) return kNaN;
  return std::max(shift.ratio / shift.low, shift.high / shift.ratio);
}

}  // namespace futex_bench
