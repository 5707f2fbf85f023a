// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/measure.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/stats/order_statistics.h"
#include "common/system/clock.h"
#include "common/system/error.h"
#include "common/system/limits.h"
#include "common/system/thread_team.h"
#include "common/system/topology.h"
#include "futex-bench/report/formats.h"
#include "futex-bench/report/json.h"
#include "futex-bench/report/terminal.h"
#include "futex-bench/run/progress.h"
#include "futex-bench/run/runner.h"
#include "futex-bench/tools/exit_status.h"

namespace futex_bench {
namespace {

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

RunSettings settings_for(const GlobalOptions& global,
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
    if (rows != 0) {
      settings.repeat = std::max(kDefaultRepeat, static_cast<unsigned>(rounds_needed(rows)));
    }
  }
  if (global.repeat) settings.repeat = static_cast<unsigned>(*global.repeat);
  if (global.runtime) settings.runtime_seconds = *global.runtime;
  if (global.warmup) settings.warmup_seconds = *global.warmup;
  settings.seed = global.seed ? *global.seed : random_seed();
  return settings;
}

/// What the program would do, for --dry-run.
std::string plan_text(const std::vector<std::unique_ptr<Point>>& points,
                      const RunSettings& settings) {
  std::string text;
  double seconds = 0;
  bool timed = true;
  unsigned most_threads = 0;
  for (const auto& point : points) {
    const PointKey& key = point->key();
    const std::optional<std::string> missing = point->unavailable();
    text += fmt::format("{} {:>5} threads{}\n", key.mode, key.threads,
                        missing ? fmt::format("  skipped: {}", *missing) : "");
    if (missing) continue;
    most_threads = std::max(most_threads, key.threads);
    const auto expected =
        point->expected_seconds({.runtime = settings.runtime_seconds, .verify = false});
    timed = timed && expected;
    seconds += expected.value_or(0) * settings.repeat + settings.warmup_seconds;
  }
  text += fmt::format("{} points x {} trials, seed {}; ", points.size(), settings.repeat,
                      settings.seed);
  text += timed ? fmt::format("about {:.0f} s\n", seconds)
                : std::string("each until its iterations are done\n");
  if (const auto limit =
          limit_below(most_threads, read_thread_limits("/"), ThreadTeam::kStackBytes)) {
    text += fmt::format("{} threads will not fit: {}\n", most_threads, *limit);
  }
  return text;
}

void warn(std::string_view text) { fmt::print(stderr, "futex-bench: {}\n", text); }

/// Each reason for skipping once, however many points it hits.
void warn_of_skipped(const std::vector<PointSamples>& points) {
  std::set<std::string> told;
  for (const PointSamples& point : points) {
    if (point.skipped.empty() || !told.insert(point.key.mode + point.skipped).second) continue;
    warn(fmt::format("mode {} skipped: {}", point.key.mode, point.skipped));
  }
}

int exit_status(const RunOutcome& outcome) {
  if (outcome.signal != 0) return kExitSignal + outcome.signal;
  if (!outcome.violations.empty()) return kExitFailed;
  if (!outcome.anything_ran) return kExitNothing;
  return outcome.complete ? kExitOk : kExitIncomplete;
}

/// Where results go, and in which form.
class Results {
 public:
  explicit Results(const GlobalOptions& global)
      : quiet_(global.quiet),
        options_{.verbose = global.verbose,
                 .color = use_color(global.color == "always"  ? ColorChoice::kAlways
                                    : global.color == "never" ? ColorChoice::kNever
                                                              : ColorChoice::kAuto,
                                    STDOUT_FILENO)} {
    if (global.output.empty()) {
      stdout_format_ = global.format_given() ? global.format : format_names().front();
      return;
    }
    // The file gets the format, and the terminal the table.
    file_format_ =
        global.format_given() ? global.format : format_for_file(global.output).value_or("json");
    stdout_format_ = quiet_ ? "" : format_names().front();
    file_.emplace(global.output);
  }

  bool streams() const { return stdout_format_ == "jsonl"; }

  void write(const RunResult& result) {
    // The file first: a closed stdout must not cost it.
    if (file_) {
      file_->commit(render(file_format_, result, {.verbose = options_.verbose, .color = false}));
    }
    if (streams()) {
      std::string text;
      for (const PointSamples& point : result.points) text += jsonl_point(result, point);
      write_all(STDOUT_FILENO, text + jsonl_end(result));
    } else if (!stdout_format_.empty()) {
      write_all(STDOUT_FILENO, render(stdout_format_, result, options_));
    }
  }

 private:
  bool quiet_;
  RenderOptions options_;
  std::string stdout_format_;
  std::string file_format_;
  std::optional<OutputFile> file_;
};

}  // namespace

int measure(const std::string& name, const Benchmark& benchmark, const GlobalOptions& global,
            const std::vector<std::string>& command_line) {
  if (benchmark.runs_to_a_count() && global.runtime) {
    throw UsageError("--runtime: has no meaning for trials that run to a count (--iterations)");
  }
  const std::vector<std::unique_ptr<Point>> points = benchmark.points();
  const RunSettings settings = settings_for(global, points);
  if (global.dry_run) {
    write_all(STDOUT_FILENO, plan_text(points, settings));
    return kExitOk;
  }

  Results results(global);
  RunResult result{
      .benchmark = name,
      .command_line = command_line,
      .started = wall_clock_iso8601(),
      .seed = settings.seed,
      .repeat = settings.repeat,
      .runtime_seconds = benchmark.runs_to_a_count() ? 0 : settings.runtime_seconds,
      .warmup_seconds = settings.warmup_seconds,
      .tags = global.tags,
      .environment = capture_environment("/", Topology::current()),
      .metrics = {benchmark.metrics().begin(), benchmark.metrics().end()},
      .points = {},
      .warnings = {},
  };
  if (results.streams()) write_all(STDOUT_FILENO, jsonl_run(result));

  Progress progress(global.quiet, settings.repeat);
  const RunObserver observer{
      .before_trial = [&](const RunStep& step) { progress.show(step); },
      .after_trial =
          [&](std::size_t point, const TrialSample& trial) {
            if (!results.streams()) return;
            write_all(STDOUT_FILENO, jsonl_trial(result, points[point]->key(), trial));
          },
  };
  const std::int64_t started_ns = now_ns();
  RunOutcome outcome = run_plan(points, settings, observer);
  progress.clear();

  result.duration_seconds = static_cast<double>(now_ns() - started_ns) / 1e9;
  result.points = std::move(outcome.points);
  result.complete = outcome.complete;
  for (const std::string& violation : outcome.violations) warn(violation);
  if (!global.quiet && outcome.violations.empty()) warn_of_skipped(result.points);
  if (outcome.signal != 0) {
    warn(fmt::format("interrupted by SIG{}; results are of the trials that had finished",
                     sigabbrev_np(outcome.signal)));
  }
  results.write(result);
  return exit_status(outcome);
}

}  // namespace futex_bench
