// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One trial as the parent sees it: fork, watch, and end it whatever happens.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/stats/sample.h"
#include "futex-bench/bench/benchmark.h"

namespace futex_bench {

/// What became of a trial.
struct TrialEnd {
  TrialStatus status = TrialStatus::kOk;
  std::string note{};            ///< why it is not kOk
  std::vector<double> values{};  ///< one per metric; empty if kFailed
  bool violated = false;         ///< verification found the lock broken; note says how
  int signal = 0;                ///< the signal that ended the run, and with it this trial; else 0
};

/// Runs trials, each in a child of its own. While a Watchdog exists, SIGINT, SIGTERM, SIGHUP and
/// SIGCHLD are events it reads (signalfd), not interruptions; signals ignored at the start stay
/// ignored. The process must have a single thread.
class Watchdog {
 public:
  /// Time that threads get to end after the counters were read. What is not gone then is killed.
  static constexpr double kDrainSeconds = 0.8;
  /// Time that making the threads may take, on a machine slower than any we know.
  static constexpr double kSetupSeconds = 60;
  /// Time without any progress after which a trial that runs to a count is given up.
  static constexpr double kStuckSeconds = 30;

  /// Throws std::system_error.
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Runs one trial of `point` to its end.
  TrialEnd run(const Point& point, const TrialRequest& request);

 private:
  enum class Event { kTimer, kChildEnded, kSignal };

  Event wait_for_event();
  void arm(double seconds_from_now);
  void kill_and_reap(pid_t child);

  int signal_fd_ = -1;
  int timer_fd_ = -1;
  int last_signal_ = 0;
};

}  // namespace futex_bench
