// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/system/clock.h"
#include "futex-bench/run/plan.h"
#include "futex-bench/run/watchdog.h"

namespace futex_bench {
namespace {

/// A run in progress.
class Run {
 public:
  Run(const std::vector<std::unique_ptr<Point>>& points, const RunSettings& settings,
      const RunObserver& observer)
      : points_(points), settings_(settings), observer_(observer), started_ns_(now_ns()) {
    for (const auto& point : points_) {
      outcome_.points.push_back({.key = point->key(),
                                 .title = point->title(),
                                 .skipped = point->unavailable().value_or(""),
                                 .trials = {}});
    }
    const auto runnable = static_cast<std::size_t>(
        std::ranges::count_if(outcome_.points, [](const auto& p) { return p.skipped.empty(); }));
    outcome_.anything_ran = runnable != 0;
    step_.planned = runnable * (settings_.repeat + (settings_.warmup_seconds > 0 ? 1U : 0U));
  }

  RunOutcome go() {
    if (settings_.warmup_seconds > 0) run_round(0, true);
    for (unsigned round = 0; round < settings_.repeat; ++round) run_round(round, false);
    outcome_.complete =
        outcome_.signal == 0 && std::ranges::all_of(outcome_.points, [this](const auto& point) {
          return point.skipped.empty() && point.trials.size() == settings_.repeat &&
                 std::ranges::all_of(point.trials, [](const TrialSample& trial) {
                   return trial.status != TrialStatus::kFailed;
                 });
        });
    return std::move(outcome_);
  }

 private:
  void run_round(unsigned round, bool warmup) {
    // The warm-up has an order of its own, so that the measured rounds are the same without it.
    const unsigned stream = warmup ? UINT32_MAX : round;
    for (const std::size_t index : order_of_round(points_.size(), settings_.seed, stream)) {
      if (outcome_.signal != 0) return;
      if (outcome_.points[index].skipped.empty()) run_trial(index, round, warmup);
    }
  }

  void run_trial(std::size_t index, unsigned round, bool warmup) {
    const Point& point = *points_[index];
    PointSamples& samples = outcome_.points[index];
    step_.point = &point;
    step_.warmup = warmup;
    step_.round = round;
    if (observer_.before_trial) observer_.before_trial(step_);

    const TrialRequest request{
        .runtime = warmup ? settings_.warmup_seconds : settings_.runtime_seconds, .verify = warmup};
    const double start = static_cast<double>(now_ns() - started_ns_) / 1e9;
    TrialEnd end = watchdog_.run(point, request);
    ++step_.done;
    if (end.signal != 0) {
      outcome_.signal = end.signal;
      return;
    }
    if (end.violated) {
      outcome_.violations.push_back(end.note);
      samples.skipped = end.note;
    }
    if (warmup) return;
    samples.trials.push_back({.round = round,
                              .start_seconds = start,
                              .status = end.status,
                              .note = std::move(end.note),
                              .values = std::move(end.values)});
    if (observer_.after_trial) observer_.after_trial(index, samples.trials.back());
  }

  const std::vector<std::unique_ptr<Point>>& points_;
  const RunSettings& settings_;
  const RunObserver& observer_;
  std::int64_t started_ns_;
  Watchdog watchdog_;
  RunStep step_;
  RunOutcome outcome_;
};

}  // namespace

RunOutcome run_plan(const std::vector<std::unique_ptr<Point>>& points, const RunSettings& settings,
                    const RunObserver& observer) {
  return Run(points, settings, observer).go();
}

}  // namespace futex_bench
