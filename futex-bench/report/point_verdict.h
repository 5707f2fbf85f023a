// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a reader should know about a point before trusting its figures, all of it in one place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/stats/verdict.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// A trial that is shorter, or in which less happened, measures its own beginning and end.
inline constexpr double kShortTrialSeconds = 0.01;
inline constexpr double kShortTrialOperations = 1000;
/// Below this overlap (see the metric) threads ran one after another rather than together.
inline constexpr double kPoorOverlap = 0.9;

/// The findings about one point, over the trials that count.
struct PointVerdict {
  Verdict scatter;  ///< of the first metric; trials are numbered in order of rounds
  bool short_trial = false;
  bool not_overlapping = false;
  double overlap;                  ///< median; NaN if the benchmark does not measure it
  double starved;                  ///< median number of threads that never ran; likewise
  std::size_t disturbed = 0;       ///< trials that count though they were disturbed
  std::size_t measured_again = 0;  ///< disturbed trials that an undisturbed one stands for
  std::size_t failed = 0;          ///< of all trials
  std::size_t not_drained = 0;     ///< of all trials
  std::size_t cut_short = 0;       ///< of all trials

  /// Stable names, for programs: too-few, noisy, unstable, bimodal, slow-first, outliers,
  /// short-trial, not-overlapping, disturbed. Empty if there is nothing to say.
  std::vector<std::string> flags() const;
  /// For people, a few words each: "unstable 8.2 %", "2 never ran", "3 disturbed". What too few
  /// trials are is not said: the spread shows it.
  std::vector<std::string> words() const;
};

PointVerdict point_verdict(const RunResult& result, const PointSamples& point);

}  // namespace futex_bench
