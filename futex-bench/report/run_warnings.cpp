// SPDX-License-Identifier: GPL-2.0-only
/// Warnings that come from what was measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "futex-bench/report/number_text.h"
#include "futex-bench/report/point_verdict.h"
#include "futex-bench/report/point_view.h"
#include "futex-bench/report/warning_text.h"
#include "futex-bench/report/warnings.h"

namespace futex_bench {
namespace {

/// Of the whole run, beyond what it may be wrong by.
constexpr double kStealShare = 0.01;
constexpr double kBusyCpus = 0.1;
/// The same of a single trial that was found to be disturbed, by whatever: beyond what the error of
/// short intervals explains (see common/system/disturbance.cpp).
constexpr double kBusyCpusOfTrial = 0.25;
/// The kernel's figures come in such steps.
constexpr double kRoundingSeconds = 0.01;
constexpr double kSuspendedSeconds = 0.01;

double figure(const Circumstances& trial, std::string_view name) {
  for (const auto& [key, value] : trial.figures) {
    if (key == name) return std::isnan(value) ? 0 : value;
  }
  return 0;
}

double sum(std::span<const Circumstances> trials, std::string_view name) {
  double total = 0;
  for (const Circumstances& trial : trials) total += figure(trial, name);
  return total;
}

/// What a sum over the trials may be wrong by: each trial errs on its own.
double error_of_sum(std::span<const Circumstances> trials, std::string_view name) {
  double squares = 0;
  for (const Circumstances& trial : trials) squares += std::pow(figure(trial, name), 2);
  return std::sqrt(squares);
}

/// The largest `name` per second of a trial that was found to be disturbed, less what rounding may
/// have added to it.
double worst(std::span<const Circumstances> trials, std::string_view name,
             double rounding_seconds) {
  double rate = 0;
  for (const Circumstances& trial : trials) {
    const double window = figure(trial, "window_seconds");
    if (!trial.disturbed || !(window > 0)) continue;
    rate = std::max(rate, (figure(trial, name) - rounding_seconds) / window);
  }
  return rate;
}

/// What is said of several points: their names, with a figure each.
class PointList {
 public:
  void add(const PointSamples& point, const std::string& figure) {
    items_.push_back(point_words(point) + (figure.empty() ? "" : ": " + figure));
  }
  void warn(const char* id, std::string_view what, std::string fix,
            std::vector<Warning>& warnings) const {
    if (items_.empty()) return;
    warnings.push_back({id, fmt::format("{} ({})", what, some_of(items_)), std::move(fix)});
  }

 private:
  std::vector<std::string> items_;
};

void add_verdicts(const RunResult& result, const Remedies& remedies,
                  std::vector<Warning>& warnings) {
  PointList short_runs;
  PointList unstable;
  PointList bimodal;
  PointList slow_first;
  PointList apart;
  for (const PointSamples& point : result.points) {
    if (point.trials.empty()) continue;
    const PointVerdict verdict = point_verdict(result, point);
    const Verdict& scatter = verdict.scatter;
    if (verdict.short_trial) short_runs.add(point, "");
    if (scatter.noise == Noise::kUnstable) {
      unstable.add(point, fixed_text(scatter.mdape_percent, 1) + " %");
    }
    if (scatter.bimodal) {
      bimodal.add(point, value_text(scatter.low_mode) + " and " + value_text(scatter.high_mode));
    }
    if (scatter.slow_first) slow_first.add(point, "");
    if (verdict.not_overlapping) apart.add(point, "overlap " + fixed_text(verdict.overlap, 2));
  }
  short_runs.warn("short-run",
                  fmt::format("trials of less than {} operations or {:.0f} ms measure their own "
                              "beginning and end",
                              kShortTrialOperations, 1e3 * kShortTrialSeconds),
                  remedies.longer_trials, warnings);
  unstable.warn(
      "unstable",
      fmt::format("half of the trials are {} % or more off their median", kUnstablePercent),
      "--thorough, or --precision 2 --max-time 600; see the other warnings for causes", warnings);
  bimodal.warn("bimodal", "trials fall into two groups, the median says little",
               fmt::format("look at the samples (--format csv); {} rules out placement",
                           remedies.fixed_placement),
               warnings);
  slow_first.warn("slow-first", "the first trial was slower: something was still warming up",
                  "--warmup 1", warnings);
  apart.warn("not-overlapping", "threads ran one after another rather than together",
             remedies.longer_trials, warnings);
}

}  // namespace

std::vector<Warning> circumstance_warnings(std::span<const Circumstances> trials,
                                           std::span<const EnvironmentField> environment) {
  std::vector<Warning> warnings;
  const double window = sum(trials, "window_seconds");
  if (!(window > 0)) return warnings;
  const double cpus = std::max(1.0, figure(trials.front(), "cpus"));

  // ", 0.45 in the worst trial", if that is more than the average.
  const auto worst_text = [](double average, double worst, std::string_view unit) {
    return worst > average
               ? fmt::format(", {:.{}f}{} in the worst trial", worst, unit.empty() ? 2 : 1, unit)
               : std::string();
  };

  const double steal = sum(trials, "steal_seconds") / (window * cpus);
  const double steal_error = error_of_sum(trials, "steal_error_seconds") / (window * cpus);
  const double worst_steal = worst(trials, "steal_seconds", kRoundingSeconds) / cpus;
  if (steal - steal_error > kStealShare || worst_steal > kStealShare) {
    warnings.push_back(
        {"steal",
         fmt::format("the hypervisor took {:.1f} % of the CPU time{}", 100 * steal,
                     worst_text(100 * steal, 100 * worst_steal, " %")),
         "nothing inside the guest: pin its CPUs (virsh vcpupin) or use a dedicated host"});
  }
  const double throttled = sum(trials, "throttled_periods");
  if (throttled > 0) {
    const std::string quota = field_value(environment, "cgroup_cpu_quota");
    warnings.push_back(
        {"throttled",
         fmt::format("the cgroup quota{} stopped the program {:.0f} times for {:.2f} "
                     "s in all",
                     quota.empty() ? "" : " of " + quota, throttled,
                     sum(trials, "throttled_seconds")),
         "raise or remove the quota (cpu.max, or cpu.cfs_quota_us)"});
  }
  const double busy = std::max(0.0, sum(trials, "foreign_cpu_seconds") / window);
  const double busy_error = error_of_sum(trials, "foreign_error_seconds") / window;
  const double worst_busy = worst(trials, "foreign_cpu_seconds", kRoundingSeconds);
  if (busy - busy_error > kBusyCpus || worst_busy > kBusyCpusOfTrial) {
    warnings.push_back({"busy",
                        fmt::format("other processes used {:.2f} of {:.0f} CPUs{}", busy, cpus,
                                    worst_text(busy, worst_busy, "")),
                        "stop them; `top -b -n 1 -o %CPU | head -n 15` names them"});
  }
  std::size_t unwatched = 0;
  for (const Circumstances& trial : trials) {
    unwatched += static_cast<std::size_t>(std::ranges::count_if(trial.figures, [](const auto& f) {
      return f.first == "foreign_cpu_seconds" && std::isnan(f.second);
    }));
  }
  if (unwatched == trials.size()) {
    warnings.push_back({"unwatched",
                        "what others use of the CPUs cannot be read from /proc/stat: who disturbs "
                        "goes unnoticed",
                        "a /proc that is mounted and shows the CPUs (mount -t proc proc /proc)"});
  }
  if (const double heat = sum(trials, "thermal_throttles"); heat > 0) {
    warnings.push_back({"thermal", fmt::format("heat slowed the CPUs down {:.0f} times", heat),
                        "better cooling, or a lower sudo cpupower frequency-set -u KHZ"});
  }
  if (const double slept = sum(trials, "suspended_seconds"); slept > kSuspendedSeconds) {
    warnings.push_back({"suspended", fmt::format("the machine was suspended for {:.1f} s", slept),
                        "systemd-inhibit futex-bench ..."});
  }
  return warnings;
}

std::vector<Warning> run_warnings(const RunResult& result, const MachineFacts& facts,
                                  const Remedies& remedies) {
  std::vector<Circumstances> trials;
  std::size_t disturbed = 0;
  std::size_t rest_on_disturbed = 0;
  std::string example;
  for (const PointSamples& point : result.points) {
    for (const TrialSample& trial : point.trials) {
      trials.push_back({trial.circumstances, trial.disturbed});
      if (!trial.disturbed) continue;
      ++disturbed;
      if (example.empty()) example = trial.note;
    }
    rest_on_disturbed += point_verdict(result, point).disturbed;
  }
  std::vector<Warning> warnings = circumstance_warnings(trials, result.environment);
  if (disturbed > 0) {
    warnings.push_back(
        {"disturbed",
         fmt::format("{} of {} were disturbed (first: {}); {} a disturbed trial", disturbed,
                     counted(trials.size(), "trial"), example,
                     rest_on_disturbed == 0
                         ? std::string("measured again, no figure rests on")
                         : fmt::format("{} of a point had no other and rest{} on",
                                       counted(rest_on_disturbed, "round"),
                                       rest_on_disturbed == 1 ? "s" : "")),
         "run again on a quiet machine (futex-bench doctor), or --retry-disturbed 10"});
  }
  if (const std::string before = field_value(result.environment, "cpus_allowed");
      !before.empty() && !facts.cpus_allowed_after.empty() && before != facts.cpus_allowed_after) {
    warnings.push_back({"migrated",
                        fmt::format("the CPUs that may be used changed from {} to {} meanwhile",
                                    before, facts.cpus_allowed_after),
                        "run again without changes of affinity or CPU hot-plug"});
  }
  add_verdicts(result, remedies, warnings);
  return warnings;
}

Warning precision_warning(const RunResult& result, const std::vector<std::size_t>& points,
                          double percent, bool out_of_time, const Remedies& remedies) {
  std::vector<std::string> items;
  for (const std::size_t index : points) {
    const PointSamples& point = result.points[index];
    items.push_back(point_words(point) + ": " + spread_text(metric_summary(point, 0)));
  }
  return {
      "precision",
      fmt::format("{} of {} did not reach +-{}% {} ({})", points.size(),
                  counted(result.points.size(), "point"), value_text(percent),
                  out_of_time ? "within --max-time" : "within --max-repeat rounds", some_of(items)),
      out_of_time ? "a longer --max-time"
                  : fmt::format("a larger --max-repeat, or {}", remedies.longer_trials)};
}

}  // namespace futex_bench
