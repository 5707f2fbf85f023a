// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What was measured: every trial of every point, in time order. Filled by the runner, read by
/// statistics and reports; nobody else writes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/stats/distribution.h"

namespace futex_bench {

/// How a trial ended.
enum class TrialStatus : std::uint8_t {
  kOk,
  kNotDrained,  ///< measured in full, but some threads had to be killed afterwards; counts are good
  kCutShort,    ///< ended by a signal to the run; values are of what it had done by then
  kFailed,      ///< no values: thread creation, fork or a set-up call failed, or the child died
};

/// One trial: one fresh process.
struct TrialSample {
  /// 0-based round of the interleaved plan. A round has several trials of a point if the first ones
  /// were disturbed and measured again.
  unsigned round = 0;
  double start_seconds = 0;  ///< since the start of the run, CLOCK_MONOTONIC
  TrialStatus status = TrialStatus::kOk;
  std::string note;            ///< why it is not kOk, or what disturbed it; empty otherwise
  std::vector<double> values;  ///< one per metric of the benchmark, NaN where not available;
                               ///< empty if kFailed
  /// Somebody else took so much of the machine that the values are not to be trusted. The status
  /// stays what it was.
  bool disturbed = false;
  /// What else went on meanwhile: names with the unit in them ("steal_seconds") and figures, NaN
  /// where the machine does not tell. See common/system/disturbance.h; empty in old files, and where
  /// the trial was ended by force: nobody then tells what its processes had used.
  std::vector<std::pair<std::string, double>> circumstances;
  /// How single values within the trial are spread, where the benchmark measures such: names with
  /// the unit in them ("latency_us").
  std::vector<std::pair<std::string, Distribution>> distributions{};
  /// Every single value in time order, if that was asked for: columns of equal length, named as
  /// above.
  std::vector<std::pair<std::string, std::vector<double>>> series{};
};

/// Whether it measured all that it was to measure.
inline bool ran_to_its_end(const TrialSample& trial) {
  return trial.status == TrialStatus::kOk || trial.status == TrialStatus::kNotDrained;
}

/// What identifies a point: two results are comparable if these are equal.
struct PointKey {
  std::string benchmark;  ///< "lock"
  std::string mode;       ///< "wait"; empty if the benchmark has none
  unsigned threads = 0;   ///< 0 if the benchmark has no such number
  /// Those set to something else than their default, in a fixed order, with the unit in the name:
  /// {"hold_ns", "200"}.
  std::vector<std::pair<std::string, std::string>> parameters;
  bool operator==(const PointKey&) const = default;
};

/// A point and its trials.
struct PointSamples {
  PointKey key;
  std::string title;                ///< "FUTEX_WAIT (mode wait)", for table headings
  std::string skipped;              ///< why no trial was run; empty otherwise
  std::vector<TrialSample> trials;  ///< in time order, failed ones too
};

/// The trials that statistics use, one per round in order of rounds: of several trials of a round
/// one that was not disturbed, else one that has values at all; of equals the last. One that was cut
/// short counts only where no other has values. Points into `point`.
inline std::vector<const TrialSample*> counted_trials(const PointSamples& point) {
  const auto rank = [](const TrialSample& trial) {
    if (ran_to_its_end(trial)) return trial.disturbed ? 1 : 0;
    return trial.status == TrialStatus::kCutShort ? 2 : 3;
  };
  std::vector<const TrialSample*> counted;
  for (const TrialSample& trial : point.trials) {
    const auto same_round =
        std::find_if(counted.begin(), counted.end(),
                     [&trial](const TrialSample* other) { return other->round == trial.round; });
    if (same_round == counted.end()) {
      counted.push_back(&trial);
    } else if (rank(trial) <= rank(**same_round)) {
      *same_round = &trial;
    }
  }
  if (std::any_of(counted.begin(), counted.end(),
                  [](const TrialSample* trial) { return ran_to_its_end(*trial); })) {
    std::erase_if(counted,
                  [](const TrialSample* trial) { return trial->status == TrialStatus::kCutShort; });
  }
  return counted;
}

}  // namespace futex_bench
