// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/measure.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "common/system/cpu_list.h"
#include "common/system/error.h"
#include "common/system/limits.h"
#include "common/system/schedule.h"
#include "common/system/thread_team.h"
#include "common/system/topology.h"
#include "futex-bench/report/json.h"
#include "futex-bench/report/warning_text.h"
#include "futex-bench/report/warnings.h"
#include "futex-bench/run/ending_signals.h"
#include "futex-bench/run/progress.h"
#include "futex-bench/run/runner.h"
#include "futex-bench/tools/exit_status.h"
#include "futex-bench/tools/results.h"
#include "futex-bench/tools/streams.h"

namespace futex_bench {
namespace {

/// SCHED_DEADLINE of linux/sched.h, which cannot be included beside sched.h.
constexpr int kSchedDeadline = 6;

constexpr unsigned kDefaultRepeat = 9;

/// How much --quick and --thorough run, where the single options do not say otherwise.
constexpr unsigned kQuickRepeat = 6;
constexpr double kQuickSeconds = 0.1;
constexpr unsigned kThoroughRepeat = 20;
constexpr double kThoroughSeconds = 1;

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    seed = static_cast<std::uint64_t>(now_ns());
  }
  // Short enough to be typed again, and exact as a double for readers of JSON that have no
  // integers.
  return seed % 1'000'000'000;
}

/// Comparisons between modes that the plan gives: every point of a mode but the first.
std::size_t comparisons(const std::vector<std::unique_ptr<Point>>& points) {
  return static_cast<std::size_t>(std::ranges::count_if(
      points, [&](const auto& point) { return point->key().mode != points.front()->key().mode; }));
}

void set_precision(const GlobalOptions& global, RunSettings& settings) {
  for (const auto& [given, name] : {std::pair(global.max_repeat.has_value(), "--max-repeat"),
                                    std::pair(global.max_time.has_value(), "--max-time")}) {
    if (given && !global.precision) {
      throw UsageError(fmt::format("{}: has no meaning without --precision", name));
    }
  }
  settings.precision_percent = global.precision;
  settings.max_seconds = global.max_time;
  settings.max_repeat = std::max(settings.max_repeat, settings.repeat);
  if (!global.max_repeat) return;
  settings.max_repeat = static_cast<unsigned>(*global.max_repeat);
  if (settings.max_repeat < settings.repeat) {
    throw UsageError(fmt::format("--max-repeat: {} is less than the {} trials of --repeat",
                                 settings.max_repeat, settings.repeat));
  }
}

RunSettings settings_for(const GlobalOptions& global, const Benchmark& benchmark,
                         const std::vector<std::unique_ptr<Point>>& points) {
  if (global.quick && global.thorough) {
    throw UsageError("--quick and --thorough cannot go together");
  }
  RunSettings settings;
  if (global.quick) {
    settings.repeat = kQuickRepeat;
    settings.runtime_seconds = kQuickSeconds;
  } else if (global.thorough) {
    settings.repeat = kThoroughRepeat;
    settings.runtime_seconds = kThoroughSeconds;
  } else {
    // Several modes are compared at every row, and each row makes it harder for any of them to show
    // a difference: as many rounds as it takes, so that a clear one can be shown.
    const std::size_t rows = comparisons(points);
    settings.repeat = kDefaultRepeat;
    if (const auto own = benchmark.default_repeat()) {
      settings.repeat = *own;
    } else if (rows != 0) {
      settings.repeat = std::max(kDefaultRepeat, static_cast<unsigned>(rounds_needed(rows)));
    }
  }
  if (global.repeat) settings.repeat = static_cast<unsigned>(*global.repeat);
  if (global.runtime) settings.runtime_seconds = *global.runtime;
  if (global.warmup) settings.warmup_seconds = *global.warmup;
  settings.seed = global.seed ? *global.seed : random_seed();
  settings.order = trial_order(global.order);
  if (global.retry_disturbed) {
    settings.retry_disturbed = static_cast<unsigned>(*global.retry_disturbed);
  }
  set_precision(global, settings);
  return settings;
}

/// What the program would do, for --dry-run.
std::string plan_text(const std::vector<std::unique_ptr<Point>>& points,
                      const RunSettings& settings) {
  std::string text;
  double seconds = 0;
  bool timed = true;
  unsigned most_threads = 0;
  std::size_t width = 0;
  for (const auto& point : points) width = std::max(width, point->key().mode.size());
  for (const auto& point : points) {
    const PointKey& key = point->key();
    const std::optional<std::string> missing = point->unavailable();
    text += fmt::format("{:<{}} {:>5} threads{}\n", key.mode, width, key.threads,
                        missing ? fmt::format("  skipped: {}", *missing) : "");
    if (missing) continue;
    most_threads = std::max(most_threads, key.threads);
    const auto expected =
        point->expected_seconds({.runtime = settings.runtime_seconds, .verify = false});
    timed = timed && expected;
    seconds += expected.value_or(0) * settings.repeat + settings.warmup_seconds;
  }
  text += fmt::format("{} points x {}{} trials, seed {}; ", points.size(), settings.repeat,
                      settings.precision_percent ? fmt::format(" to {}", settings.max_repeat) : "",
                      settings.seed);
  text += timed ? fmt::format("about {:.0f} s\n", seconds)
                : std::string("each until its iterations are done\n");
  if (const auto limit =
          limit_below(most_threads, read_thread_limits("/"), ThreadTeam::kStackBytes)) {
    text += fmt::format("{} threads will not fit: {}\n", most_threads, *limit);
  }
  return text;
}

/// Each reason for skipping once, however many points it hits.
void warn_of_skipped(const std::vector<PointSamples>& points) {
  std::set<std::string> told;
  for (const PointSamples& point : points) {
    if (point.skipped.empty() || !told.insert(point.key.mode + point.skipped).second) continue;
    tell(fmt::format("mode {} skipped: {}", point.key.mode, point.skipped));
  }
}

/// Everything that can be known when the run is over.
void add_warnings(const Benchmark& benchmark, const RunSettings& settings,
                  const RunOutcome& outcome, RunResult& result) {
  const Topology after = Topology::current();
  std::vector<int> cpus;
  for (const Cpu& cpu : after.cpus()) cpus.push_back(cpu.id);
  const MachineFacts facts{.allowed_cpus = static_cast<unsigned>(cpus.size()),
                           .clock_cost_ns = clock_cost_ns(),
                           .cpus_allowed_after = format_cpu_list(cpus)};
  const auto append = [&result](std::vector<Warning> more) {
    std::move(more.begin(), more.end(), std::back_inserter(result.warnings));
  };
  append(environment_warnings(result.environment, facts));
  append(plan_warnings(result, facts));
  const Remedies remedies{.longer_trials = benchmark.longer_trials(),
                          .fixed_placement = benchmark.fixed_placement()};
  append(run_warnings(result, facts, remedies));
  if (!outcome.too_wide.empty()) {
    result.warnings.push_back(precision_warning(
        result, outcome.too_wide, *settings.precision_percent, outcome.out_of_time, remedies));
  }
}

void print_warnings(const std::vector<Warning>& warnings, bool verbose) {
  for (const Warning& warning : warnings) {
    if (is_information(warning.id) && !verbose) continue;
    tell("warning: " + warning_text(warning));
  }
}

int exit_status(const RunOutcome& outcome) {
  if (outcome.signal != 0) return kExitSignal + outcome.signal;
  if (!outcome.violations.empty()) return kExitFailed;
  if (!outcome.anything_ran) return kExitNothing;
  return outcome.complete && !outcome.anything_skipped ? kExitOk : kExitIncomplete;
}

/// Threads inherit the policy. A spinner of a real-time policy gives way to nobody of the same priority,
/// so neither the trial's controller nor this process could end it.
void refuse_real_time_policy() {
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  if (policy != SCHED_FIFO && policy != SCHED_RR && policy != kSchedDeadline) return;
  throw UsageError(
      "the scheduling policy is a real-time one, under which a trial could not be ended; start it "
      "with chrt --other 0");
}

}  // namespace

int measure(const std::string& name, const Benchmark& benchmark, const GlobalOptions& global,
            const std::vector<std::string>& command_line) {
  if (benchmark.runs_to_a_count() && global.runtime) {
    throw UsageError("--runtime: has no meaning for trials that run to a count");
  }
  refuse_real_time_policy();
  const std::vector<std::unique_ptr<Point>> points = benchmark.points();
  RunSettings settings = settings_for(global, benchmark, points);
  for (std::size_t i = 0; i < benchmark.metrics().size(); ++i) {
    if (benchmark.metrics()[i].name == "wall") settings.wall_metric = i;
  }
  if (global.dma_latency) {
    if (const auto why = dma_latency_refused()) {
      throw UsageError(fmt::format("--dma-latency: {}", *why));
    }
  }
  if (global.dry_run) {
    print(plan_text(points, settings));
    return kExitOk;
  }

  EndingSignals signals;
  Results results(global);
  RunResult result{
      .benchmark = name,
      .command_line = command_line,
      .started = wall_clock_iso8601(),
      .seed = settings.seed,
      .repeat = settings.repeat,
      .runtime_seconds = benchmark.runs_to_a_count() ? 0 : settings.runtime_seconds,
      .warmup_seconds = settings.warmup_seconds,
      .order = global.order,
      .tags = global.tags,
      .environment = capture_environment("/", Topology::current()),
      .metrics = {benchmark.metrics().begin(), benchmark.metrics().end()},
      .points = {},
      .warnings = {},
  };
  std::optional<DmaLatency> held;
  if (global.dma_latency) held.emplace(static_cast<int>(*global.dma_latency));
  result.environment.push_back(
      {.key = "dma_latency",
       .label = "limit on the latency of idle states",
       .value = held ? fmt::format("held at {} us", *global.dma_latency) : "not held",
       .unknown_reason = ""});
  if (!global.kernel_label.empty()) {
    result.tags.emplace_back(std::string(kKernelLabelTag), global.kernel_label);
  }
  if (results.streams()) print(jsonl_run(result));

  if (!global.quiet) {
    for (const std::string& note : benchmark.notes()) tell(note);
  }
  Progress progress(global.quiet,
                    settings.precision_percent ? settings.max_repeat : settings.repeat);
  const RunObserver observer{
      .before_trial = [&](const RunStep& step) { progress.show(step); },
      .during_trial = progress.enabled()
                          ? [&](const RunStep& step,
                                const std::string& how_far) { progress.show(step, how_far); }
                          : std::function<void(const RunStep&, const std::string&)>(),
      .after_trial =
          [&](std::size_t point, const TrialSample& trial) {
            if (!results.streams()) return;
            print(jsonl_trial(result, points[point]->key(), trial));
          },
  };
  const std::int64_t started_ns = now_ns();
  RunOutcome outcome = run_plan(points, settings, observer);
  progress.clear();

  result.duration_seconds = static_cast<double>(now_ns() - started_ns) / 1e9;
  result.points = std::move(outcome.points);
  result.complete = outcome.complete;
  add_warnings(benchmark, settings, outcome, result);
  for (const std::string& violation : outcome.violations) tell(violation);
  if (!global.quiet && outcome.violations.empty()) warn_of_skipped(result.points);
  if (outcome.signal != 0) {
    tell(fmt::format("interrupted by {}; results are of what had been done by then",
                     signal_name(outcome.signal)));
  }
  results.save(result);
  // From here on a signal ends the program at once: stdout may be a pipe that nobody empties.
  const int late_signal = signals.release();
  results.show(result);
  if (!global.quiet) print_warnings(result.warnings, global.verbose);
  return late_signal != 0 ? kExitSignal + late_signal : exit_status(outcome);
}

}  // namespace futex_bench
