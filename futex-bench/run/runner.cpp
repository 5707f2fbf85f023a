// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/runner.h"

#include <algorithm>
#include <utility>

#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "common/system/topology.h"
#include "futex-bench/run/watchdog.h"

namespace futex_bench {
namespace {

/// A run in progress.
class Run {
 public:
  Run(const std::vector<std::unique_ptr<Point>>& points, const RunSettings& settings,
      const RunObserver& observer)
      : points_(points),
        settings_(settings),
        observer_(observer),
        plan_(keys(points), settings.order, settings.seed),
        cpus_(allowed_cpus()),
        tick_seconds_(tick_seconds()),
        started_ns_(now_ns()) {
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
    if (observer_.during_trial) {
      watchdog_.look_on(
          [this](const std::string& how_far) { observer_.during_trial(step_, how_far); });
    }
    if (settings_.warmup_seconds > 0) warm_up();
    for (unsigned round = 0; round < settings_.repeat; ++round) run_round(round, {});
    if (settings_.precision_percent) narrow_down();
    outcome_.complete = outcome_.signal == 0 && outcome_.violations.empty() &&
                        std::ranges::all_of(outcome_.points, [this](const auto& point) {
                          const auto counted = counted_trials(point);
                          return !point.skipped.empty() ||
                                 (counted.size() >= settings_.repeat &&
                                  std::ranges::all_of(counted, [](const TrialSample* trial) {
                                    return ran_to_its_end(*trial);
                                  }));
                        });
    outcome_.anything_skipped = std::ranges::any_of(
        outcome_.points, [](const auto& point) { return !point.skipped.empty(); });
    return std::move(outcome_);
  }

 private:
  static std::vector<const PointKey*> keys(const std::vector<std::unique_ptr<Point>>& points) {
    std::vector<const PointKey*> keys;
    keys.reserve(points.size());
    for (const auto& point : points) keys.push_back(&point->key());
    return keys;
  }

  double seconds_since_start() const { return static_cast<double>(now_ns() - started_ns_) / 1e9; }

  /// An order of its own, so that the measured rounds are the same without it.
  void warm_up() {
    for (const std::size_t index : plan_.round(UINT32_MAX)) {
      if (outcome_.signal != 0) return;
      if (outcome_.points[index].skipped.empty()) run_trial(index, 0, true);
    }
  }

  /// Only the points in `only`, unless that is empty.
  void run_round(unsigned round, const std::vector<std::size_t>& only) {
    std::vector<std::size_t> todo = plan_.round(round);
    std::erase_if(todo, [&](std::size_t index) {
      return !outcome_.points[index].skipped.empty() ||
             (!only.empty() && std::ranges::find(only, index) == only.end());
    });
    // Again at the end of the round and not at once: a disturbance lasts longer than a trial.
    for (unsigned attempt = 0; !todo.empty(); ++attempt) {
      std::vector<std::size_t> disturbed;
      for (const std::size_t index : todo) {
        if (attempt > 0 && vain_retries_ >= kVainRetries) return;
        if (outcome_.signal != 0 || out_of_time(!only.empty())) return;
        if (!run_trial(index, round, false)) {
          vain_retries_ = 0;
          continue;
        }
        if (attempt > 0) ++vain_retries_;
        disturbed.push_back(index);
      }
      if (attempt == settings_.retry_disturbed || vain_retries_ >= kVainRetries) return;
      todo = std::move(disturbed);
      step_.planned += todo.size();
    }
  }

  /// Max_seconds limits the additional rounds only: those asked for are run.
  bool out_of_time(bool additional) const {
    return additional && settings_.max_seconds && seconds_since_start() >= *settings_.max_seconds;
  }

  std::vector<std::size_t> too_wide() const {
    std::vector<std::size_t> wide;
    for (std::size_t i = 0; i < outcome_.points.size(); ++i) {
      // A point that only fails has no interval, and never will.
      const auto has_values = [](const TrialSample& trial) { return !trial.values.empty(); };
      if (std::ranges::any_of(outcome_.points[i].trials, has_values) &&
          !(half_width_percent(outcome_.points[i]) <= *settings_.precision_percent)) {
        wide.push_back(i);
      }
    }
    return wide;
  }

  void narrow_down() {
    unsigned round = settings_.repeat;
    outcome_.too_wide = too_wide();
    while (!outcome_.too_wide.empty() && outcome_.signal == 0) {
      outcome_.out_of_time = out_of_time(true);
      if (outcome_.out_of_time || round >= settings_.max_repeat) return;
      step_.planned += outcome_.too_wide.size();
      run_round(round++, outcome_.too_wide);
      outcome_.too_wide = too_wide();
    }
  }

  MachineCounters look() const {
    return settings_.look ? settings_.look() : read_machine_counters("/", cpus_);
  }

  /// Whether it should be measured again.
  bool run_trial(std::size_t index, unsigned round, bool warmup) {
    const Point& point = *points_[index];
    PointSamples& samples = outcome_.points[index];
    step_.point = &point;
    step_.warmup = warmup;
    step_.round = round;
    if (observer_.before_trial) observer_.before_trial(step_);

    const TrialRequest request{
        .runtime = warmup ? settings_.warmup_seconds : settings_.runtime_seconds,
        .verify = warmup,
        .round = round % std::max(settings_.repeat, 1U),
        .rounds = std::max(settings_.repeat, 1U)};
    const OwnUsage own_before = read_own_usage();
    const MachineCounters before = look();
    const double start = seconds_since_start();
    TrialEnd end = watchdog_.run(point, request);
    const MachineCounters after = look();
    const OwnUsage own_after = read_own_usage();
    ++step_.done;
    if (end.signal != 0) {
      outcome_.signal = end.signal;
      if (!end.partial || warmup) return false;
    }
    if (end.violated) {
      outcome_.violations.push_back(end.note);
      samples.skipped = end.note;
    }
    if (warmup) return false;

    TrialSample trial{.round = round,
                      .start_seconds = start,
                      .status = end.status,
                      .note = std::move(end.note),
                      .values = std::move(end.values),
                      .disturbed = false,
                      .circumstances = {},
                      .distributions = std::move(end.distributions),
                      .series = std::move(end.series)};
    if (ran_to_its_end(trial)) {
      const Disturbance disturbance = between(before, after, own_before, own_after,
                                              static_cast<unsigned>(cpus_.size()), tick_seconds_);
      trial.circumstances = disturbance.figures();
      judge(disturbance, point, request, trial);
    }
    samples.trials.push_back(std::move(trial));
    if (observer_.after_trial) observer_.after_trial(index, samples.trials.back());
    return samples.trials.back().disturbed;
  }

  void judge(const Disturbance& disturbance, const Point& point, const TrialRequest& request,
             TrialSample& trial) const {
    std::optional<double> measured_seconds;
    if (settings_.wall_metric && *settings_.wall_metric < trial.values.size()) {
      measured_seconds = trial.values[*settings_.wall_metric];
    }
    const std::string words =
        disturbance_words(disturbance, point.expected_seconds(request), measured_seconds);
    if (words.empty()) return;
    trial.disturbed = true;
    trial.note += (trial.note.empty() ? "" : "; ") + words;
  }

  const std::vector<std::unique_ptr<Point>>& points_;
  const RunSettings& settings_;
  const RunObserver& observer_;
  Plan plan_;
  std::vector<int> cpus_;
  double tick_seconds_;
  std::int64_t started_ns_;
  Watchdog watchdog_;
  RunStep step_;
  RunOutcome outcome_;
  unsigned vain_retries_ = 0;  ///< in a row
};

}  // namespace

double half_width_percent(const PointSamples& point) {
  std::vector<double> values;
  for (const TrialSample* trial : counted_trials(point)) {
    if (!trial->values.empty()) values.push_back(trial->values.front());
  }
  return relative_half_width(summarize(values));
}

RunOutcome run_plan(const std::vector<std::unique_ptr<Point>>& points, const RunSettings& settings,
                    const RunObserver& observer) {
  return Run(points, settings, observer).go();
}

}  // namespace futex_bench
