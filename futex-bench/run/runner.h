// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Runs a plan: rounds of interleaved trials, one process each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/stats/sample.h"
#include "futex-bench/bench/benchmark.h"

namespace futex_bench {

/// How much to run.
struct RunSettings {
  unsigned repeat = 9;           ///< trials per point
  double runtime_seconds = 0.2;  ///< of a trial, where it does not run to a count
  double warmup_seconds = 0.05;  ///< of a trial of the discarded, verified first round; 0 for none
  std::uint64_t seed = 0;        ///< of the order
};

/// One step, for whoever shows progress.
struct RunStep {
  const Point* point = nullptr;
  bool warmup = false;
  unsigned round = 0;       ///< 0-based, of the measured rounds
  std::size_t done = 0;     ///< trials finished before this one, warm-up included
  std::size_t planned = 0;  ///< in all
};

/// Called while running, in the parent, between trials. Either may be empty.
struct RunObserver {
  std::function<void(const RunStep&)> before_trial;
  /// `point` is the index in the plan. Not called for warm-up.
  std::function<void(std::size_t point, const TrialSample&)> after_trial;
};

/// What came of it. Nothing measured is ever dropped, whatever stopped the run.
struct RunOutcome {
  std::vector<PointSamples> points;     ///< in the order of the plan
  std::vector<std::string> violations;  ///< "mode wait, 4 threads: ...": the lock is broken
  int signal = 0;                       ///< that ended the run early; 0 for none
  bool complete = false;      ///< every trial of every point that this machine can run has values
  bool anything_ran = false;  ///< at least one point could be tried
};

/// Runs all points. A point whose warm-up violates exclusion is not measured.
RunOutcome run_plan(const std::vector<std::unique_ptr<Point>>& points, const RunSettings& settings,
                    const RunObserver& observer);

}  // namespace futex_bench
