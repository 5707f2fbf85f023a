// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Comparison of two samples that were not taken in pairs: two result files.
///
/// Sources: Mann & Whitney, Ann. Math. Statist. 18, 1947; Hodges & Lehmann, Ann. Math. Statist. 34,
/// 1963; for interval and ties Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd
/// ed., chapter 4.
///
/// All functions leave NaN and infinite values out; those that form ratios also leave out values
/// that are not positive. The test does not know when the trials were run: if the machine drifted
/// between the two files it shows the drift, and the reporter has to say so.
#pragma once

#include <cstddef>
#include <span>

namespace futex_bench {

/// Up to this many values in each sample, p values and intervals are exact; above, the normal
/// approximation is used. C(60, 30) still fits in 64 bits, and 30 is the default limit of repeats.
inline constexpr std::size_t kExactLimit = 30;

/// Two-sided p of the Mann-Whitney U test of "both come from one distribution". NaN if a sample is
/// empty.
///
/// Equal values get their mean rank. Up to kExactLimit the p is the fraction of all ways to deal
/// the pooled values out to the two samples whose rank sum is at least as far from its expectation,
/// ties included (the exact permutation test given the ties). Above, it is the normal approximation
/// with the variance corrected for ties and a continuity correction of 1/2.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/// How much larger the values of one sample are than those of another.
struct ShiftEstimate {
  double ratio;               ///< other / base; NaN if a sample is empty, like the three below
  double low;                 ///< lower end of the interval, else the smallest ratio of two values
  double high;                ///< upper end, else the largest
  double p_value;             ///< mann_whitney_p of the two, not adjusted for other rows
  bool has_interval = false;  ///< enough trials for an interval of this confidence
};

/// Hodges-Lehmann estimate on logarithms: the median of all other[j] / base[i], with the interval
/// that inverts the Mann-Whitney test. No assumption on the shape, only that the two distributions
/// differ by a factor. The interval uses the distribution of U without ties, which with ties covers
/// at least as often; so without ties p_value <= 1 - confidence (up to rounding) exactly when the
/// interval excludes 1, and with ties the two may disagree at the very edge. Memory: one double per
/// pair.
ShiftEstimate hodges_lehmann_ratio(std::span<const double> base, std::span<const double> other,
                                   double confidence = 0.95);

/// What "no difference shown" is worth: a factor d >= 1 such that a difference of d, in either
/// direction and with the scatter seen here, would have been shown. It is the distance, as a
/// factor, from the estimate to the farther end of its interval: max(ratio / low, high / ratio).
/// `confidence` is the one already adjusted for the number of rows, for example 1 - 0.05 / rows.
/// NaN if there is no interval: then no difference of any size can be shown with so few trials.
double smallest_detectable_ratio(std::span<const double> base, std::span<const double> other,
                                 double confidence);

}  // namespace futex_bench
