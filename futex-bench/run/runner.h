// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Runs a plan: rounds of interleaved trials, one process each; disturbed trials once more; and, if
/// asked for, more rounds until the medians are known well enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/stats/sample.h"
#include "common/system/disturbance.h"
#include "futex-bench/bench/benchmark.h"
#include "futex-bench/run/plan.h"

namespace futex_bench {

/// How much to run.
struct RunSettings {
  unsigned repeat = 9;           ///< trials per point
  double runtime_seconds = 0.2;  ///< of a trial, where it does not run to a count
  double warmup_seconds = 0.05;  ///< of a trial of the discarded, verified first round; 0 for none
  std::uint64_t seed = 0;        ///< of the order
  TrialOrder order = TrialOrder::kRandom;

  /// How often a disturbed trial is measured again, at the end of its round.
  unsigned retry_disturbed = 2;
  /// Which value of a trial is the length of its measured interval in seconds, if one is. A trial
  /// of fixed length that took much longer was stopped.
  std::optional<std::size_t> wall_metric{};
  /// How to look at the machine before and after each trial. Empty: the machine itself.
  std::function<MachineCounters()> look{};

  /// Half the width of the 95 % interval of each point's first metric, in percent of the median,
  /// that is narrow enough. After the `repeat` rounds, points whose interval is wider get more.
  /// Nothing else ends or prolongs a run: to stop once a difference is shown would show differences
  /// where there are none.
  std::optional<double> precision_percent{};
  unsigned max_repeat = 50;             ///< most rounds with precision_percent
  std::optional<double> max_seconds{};  ///< no further round after that, since the start of the run
};

/// One step, for whoever shows progress.
struct RunStep {
  const Point* point = nullptr;
  bool warmup = false;
  unsigned round = 0;       ///< 0-based, of the measured rounds
  std::size_t done = 0;     ///< trials finished before this one, warm-up included
  std::size_t planned = 0;  ///< in all
};

/// Called while running, in the parent. Any may be empty.
struct RunObserver {
  std::function<void(const RunStep&)> before_trial{};
  /// While a trial runs, several times a second, with what Point::how_far() says.
  std::function<void(const RunStep&, const std::string& how_far)> during_trial{};
  /// `point` is the index in the plan. Not called for warm-up.
  std::function<void(std::size_t point, const TrialSample&)> after_trial{};
};

/// What came of it. Nothing measured is ever dropped, whatever stopped the run.
struct RunOutcome {
  std::vector<PointSamples> points;     ///< in the order of the plan
  std::vector<std::string> violations;  ///< "mode wait, 4 threads: ...": the lock is broken
  int signal = 0;                       ///< that ended the run early; 0 for none
  bool complete = false;      ///< every trial of every point that this machine can run has values
  bool anything_ran = false;  ///< at least one point could be tried
  bool anything_skipped = false;        ///< at least one could not
  std::vector<std::size_t> too_wide{};  ///< points that did not reach precision_percent
  bool out_of_time = false;             ///< because of max_seconds, and not max_repeat
};

/// Half the width of the 95 % interval of the first metric over the trials that count, in percent
/// of the median; NaN if there is no such interval.
double half_width_percent(const PointSamples& point);

/// So many measurements of disturbed trials in a row that came out disturbed as well mean that the
/// disturbance stays. Then none is measured again until one comes out undisturbed.
inline constexpr unsigned kVainRetries = 10;

/// Runs all points. A point whose warm-up violates exclusion is not measured.
RunOutcome run_plan(const std::vector<std::unique_ptr<Point>>& points, const RunSettings& settings,
                    const RunObserver& observer);

}  // namespace futex_bench
