// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a reader should know about the trials of one point before trusting its median.
///
/// A verdict describes, it never removes: every trial stays in every figure. How often each flag is
/// raised without cause (simulated, normal noise): bimodal 4.5 % at 6 trials, 3 % at 9, 0.1 % at
/// 20; any outlier 1 % at 6, 0.5 % at 9; slow first trial below 0.1 %.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/stats/metric.h"

namespace futex_bench {

/// MdAPE in percent from which a point is called noisy.
inline constexpr double kNoisyPercent = 2;
/// MdAPE in percent from which a point is called unstable. Source: nanobench, which prints its
/// warning from 5 % on.
inline constexpr double kUnstablePercent = 5;
/// Distance from the median in MADs beyond which a trial is an outlier: hyperfine's threshold, 10
/// standard deviations as estimated by 1.4826 MAD. On the scale of the modified z-score 0.6745 |x -
/// median| / MAD of Iglewicz & Hoaglin (How to Detect and Handle Outliers, 1993), who suggest 3.5,
/// it is 10: timings have longer tails than their normal data.
inline constexpr double kOutlierMads = 1.4826 * 10;
/// A gap this many within-group MADs wide separates two modes.
inline constexpr double kModeGapMads = 5;
/// Smallest group of trials that counts as a mode.
inline constexpr std::size_t kSmallestMode = 3;
/// Trials it takes to judge the scatter at all.
inline constexpr std::size_t kTrialsForNoise = 3;
/// Trials it takes to tell outliers and modes from the chance patterns of very few values.
inline constexpr std::size_t kTrialsForShape = 6;

/// How far the typical trial is from the median.
enum class Noise : std::uint8_t {
  kTooFew,    ///< fewer than kTrialsForNoise trials: cannot tell
  kOk,        ///< below kNoisyPercent
  kNoisy,     ///< below kUnstablePercent
  kUnstable,  ///< the rest; also if the median is 0 and half of the trials or more are not
};

/// The findings about one point. Below kTrialsForShape trials only `noise` is judged.
struct Verdict {
  Noise noise = Noise::kTooFew;
  /// Median of |x - median| / |median| in percent; NaN if there is nothing to divide by. nanobench
  /// divides by x, which differs in second order only and fails for a trial that counted 0.
  double mdape_percent;
  /// The largest gap between neighbouring values leaves kSmallestMode trials or more on both sides
  /// and is wider than kModeGapMads times the MAD of either side and kNoisyPercent of the median.
  bool bimodal = false;
  double low_mode;   ///< median of the lower group; NaN unless bimodal
  double high_mode;  ///< median of the upper group; NaN unless bimodal
  /// The first trial that has a value is an outlier on the worse side: something was still warming
  /// up. Never set for a metric without direction.
  bool slow_first = false;
  /// Positions in the samples given, ascending. Those further than kOutlierMads from the median; if
  /// the MAD is 0, because more than half of the trials agree exactly, those further than
  /// kNoisyPercent of the median.
  std::vector<std::size_t> outliers;
  /// For people, ASCII, never empty: "ok", "noisy 3.1 %, outlier at trial 4" (trials from 1).
  std::string words;

  /// Nothing to report: enough trials, little noise and no flag.
  bool is_ok() const noexcept {
    return noise == Noise::kOk && !bimodal && !slow_first && outliers.empty();
  }
};

/// Judges `samples` in time order. NaN and infinite values (failed trials) are skipped, but keep
/// their place in the numbering.
Verdict judge(std::span<const double> samples, Direction direction);

}  // namespace futex_bench
