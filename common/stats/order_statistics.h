// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Medians, their distribution-free intervals, and ratios of paired trials.
///
/// Everything here rests on one fact: whatever the shape of the noise, each independent trial falls
/// below the true median with probability 1/2. The number of trials below it is therefore binomial,
/// and two order statistics enclose the median with a probability that can be counted exactly.
/// Source: David & Nagaraja, Order Statistics, 3rd ed., section 7.1; for the test Gibbons &
/// Chakraborti, Nonparametric Statistical Inference, chapter 5.
///
/// Values that are NaN or infinite are no measurements and are left out everywhere. "No result" is
/// NaN; the reporter turns it into "-", null or an empty field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace futex_bench {

/// The finite values, smallest first.
std::vector<double> sorted_finite(std::span<const double> values);

/// The middle value, or the mean of the two middle ones; NaN if there is none.
double median(std::span<const double> values);

/// 1-based positions in the sorted sample, low <= high.
struct Ranks {
  std::size_t low;
  std::size_t high;
  bool operator==(const Ranks&) const = default;
};

/// The narrowest interval [x_(k), x_(n+1-k)] that covers the median of the distribution with a
/// probability of at least `confidence`; nothing if even the smallest and the largest of `n` values
/// do not (below 6 values at 95 %). The coverage is 1 - 2 P(Bin(n, 1/2) < k), from exact binomial
/// weights; a coverage that misses `confidence` by rounding only (1e-12) counts as enough.
/// O(sqrt(n) log n) steps, no overflow for any n.
std::optional<Ranks> interval_ranks(std::size_t n, double confidence = 0.95);

/// What a table shows of one sample, in the unit of the sample.
struct Summary {
  std::size_t count = 0;  ///< finite values
  double median;          ///< NaN if count is 0, like the four below
  double low;             ///< lower end of the 95 % interval of the median, else the minimum
  double high;            ///< upper end, else the maximum
  double min;
  double max;
  bool has_interval = false;  ///< low and high are the 95 % interval, not just the range
};

/// Summarises the finite ones of `values`, in any order.
Summary summarize(std::span<const double> values);

/// Half the width of the 95 % interval in percent of the median: the "+-1.2%" of a table. NaN if
/// there is no interval or the median is 0.
double relative_half_width(const Summary& summary);

/// How much larger `other` is than `base`, from rounds in which both were run.
struct RatioEstimate {
  double ratio;           ///< other / base; NaN without pairs, like the three below
  double low;             ///< lower end of the sign-test interval, else the smallest ratio
  double high;            ///< upper end, else the largest
  double p_value;         ///< exact two-sided sign test of "ratio is 1", not adjusted
  std::size_t pairs = 0;  ///< rounds that counted
  bool has_interval = false;
};

/// exp of the median of ln(other[i] / base[i]) with its order-statistic interval. Element i of both
/// is the same round; rounds in which a value is missing, not finite or negative are left out. A 0 is
/// not: its ratio is 0, infinite, or 1 to another 0.
///
/// Rounds with a ratio of exactly 1 stay in and are counted on the side that speaks against a
/// difference (the conservative treatment in Gibbons & Chakraborti), not dropped. So p_value <= 1 -
/// confidence (up to rounding) exactly when has_interval is set and the interval excludes 1.
RatioEstimate paired_ratio(std::span<const double> base, std::span<const double> other,
                           double confidence = 0.95);

/// Exact two-sided p of the sign test; `ties` are added to the smaller group. 1 for no trials.
double sign_test_p(std::size_t above, std::size_t below, std::size_t ties);

/// Holm's adjusted p values, in the order given: to call all those <= alpha a difference is wrong
/// about any of them with probability alpha at most. Monotone in p and capped at 1. A NaN (no test
/// was possible) stays NaN and is not counted as a test. Source: Holm, Scand. J. Statist. 6, 1979.
std::vector<double> holm(std::span<const double> p);

/// Rounds below which no row of a table of `rows` paired comparisons can be shown to differ,
/// whatever the data: the smallest n with rows * 2^(1-n) <= alpha, and at least the 6 that a 95 %
/// interval takes. `alpha` is in (0, 1).
std::size_t rounds_needed(std::size_t rows, double alpha = 0.05);

/// 1-based rank of the p-th percentile among `count` values by the nearest-rank rule,
/// ceil(p/100 * count), within 1..count. `p` is in percent; below 0 and NaN count as 0. A `p` that
/// has no exact double (99.9) does not push the rank up by its rounding error; for that the rank is
/// good to one part in 2^52 only. `count` > 0.
std::uint64_t nearest_rank(std::uint64_t count, double p);

/// The p-th percentile (p in percent) of values sorted in ascending order without NaN: always one
/// of the values. NaN if there are none.
double percentile(std::span<const double> sorted, double p);

}  // namespace futex_bench
