// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Hand-made results for the tests of reports.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "futex-bench/report/result.h"

namespace futex_bench::samples {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The metrics of the lock benchmark, in its order.
inline std::vector<Metric> lock_metrics() {
  return {{"throughput", "Kiter/s", Direction::kHigherIsBetter, "Iterations of all threads."},
          {"user", "s", Direction::kNeutral, "User time."},
          {"system", "s", Direction::kNeutral, "System time."},
          {"wall", "s", Direction::kNeutral, "Measured interval."},
          {"cores", "1", Direction::kNeutral, "Processors used."},
          {"jain", "1", Direction::kHigherIsBetter, "Jain's index."},
          {"min_share", "1", Direction::kNeutral, "Smallest share."},
          {"max_share", "1", Direction::kNeutral, "Largest share."},
          {"starved", "1", Direction::kLowerIsBetter, "Threads without the lock."},
          {"slow_share", "1", Direction::kNeutral, "Slow acquisitions."},
          {"voluntary_switches", "1", Direction::kNeutral, "Switches."},
          {"involuntary_switches", "1", Direction::kNeutral, "Preemptions."},
          {"overlap", "1", Direction::kNeutral, "Running threads / threads."}};
}

/// A trial of the lock benchmark with everyday figures and that throughput.
inline TrialSample lock_trial(unsigned round, double throughput) {
  TrialSample trial;
  trial.round = round;
  trial.start_seconds = 0.25 * round;
  trial.values = {throughput, 5.73, 10.53, 4.81, 3.38, 0.98, 0.71, 1.2, 0, 0.314, 1200, 34, 0.99};
  return trial;
}

inline TrialSample failed_trial(unsigned round, const std::string& note) {
  TrialSample trial;
  trial.round = round;
  trial.start_seconds = 0.25 * round;
  trial.status = TrialStatus::kFailed;
  trial.note = note;
  return trial;
}

/// A point of the lock benchmark with one good trial per throughput.
inline PointSamples lock_point(const std::string& mode, unsigned threads,
                               const std::vector<double>& throughputs) {
  PointSamples point;
  point.key = {"lock", mode, threads, {}};
  point.title = mode == "wait" ? "FUTEX_WAIT (mode wait)" : "mode " + mode;
  for (const double throughput : throughputs) {
    point.trials.push_back(lock_trial(static_cast<unsigned>(point.trials.size()), throughput));
  }
  return point;
}

/// Nine throughputs around 20790: the median; ranks 2 and 8 are 20540 and 21040, half of which is
/// 1.2 %.
inline std::vector<double> nine() {
  return {20790, 20540, 21040, 20500, 21100, 20700, 20800, 20600, 20900};
}

/// A finished run of the lock benchmark.
inline RunResult lock_run(std::vector<PointSamples> points) {
  RunResult result;
  result.benchmark = "lock";
  result.command_line = {"futex-bench", "lock"};
  result.started = "2024-05-06T07:08:09+02:00";
  result.duration_seconds = 12.5;
  result.seed = 18446744073709551615U;
  result.repeat = 9;
  result.runtime_seconds = 0.2;
  result.warmup_seconds = 0.2;
  result.metrics = lock_metrics();
  result.points = std::move(points);
  result.complete = true;
  return result;
}

/// A finished run of a benchmark whose figures mean time: lower is better, no lock metrics.
inline RunResult latency_run() {
  RunResult result;
  result.benchmark = "wake-latency";
  result.repeat = 2;
  result.metrics = {{"latency", "us", Direction::kLowerIsBetter, "From wake to running."},
                    {"lost", "1", Direction::kLowerIsBetter, "Wakes that woke nobody."}};
  for (const char* size : {"8", "64"}) {
    PointSamples point;
    point.key = {"wake-latency", "", 0, {{"size", size}, {"iterations", "1000"}}};
    for (unsigned round = 0; round < 2; ++round) {
      TrialSample trial;
      trial.round = round;
      trial.values = {4.5 + round, kNaN};
      point.trials.push_back(trial);
    }
    result.points.push_back(point);
  }
  result.complete = true;
  return result;
}

/// The parts of a text between line feeds.
inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::size_t from = 0;
  for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
    list.push_back(text.substr(from, end - from));
  }
  if (from < text.size()) list.push_back(text.substr(from));
  return list;
}

}  // namespace futex_bench::samples
