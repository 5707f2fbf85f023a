// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One trial as the parent sees it: fork, watch, and end it whatever happens.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/stats/sample.h"
#include "futex-bench/bench/benchmark.h"
#include "futex-bench/run/ending_signals.h"

namespace futex_bench {

/// What became of a trial.
struct TrialEnd {
  TrialStatus status = TrialStatus::kOk;
  std::string note{};            ///< why it is not kOk
  std::vector<double> values{};  ///< one per metric; empty if kFailed
  std::vector<std::pair<std::string, Distribution>> distributions{};
  std::vector<std::pair<std::string, std::vector<double>>> series{};
  bool partial = false;   ///< not ended well, and the note says how far it came
  bool violated = false;  ///< verification found the lock broken; note says how
  int signal = 0;         ///< the signal that ended the run, and with it this trial; else 0
};

/// Runs trials, each in a child of its own. Signals that end the run, and the end of a child, are
/// events it reads (signalfd), not interruptions. Sent to a trial alone they end that trial. The
/// process must have a single thread.
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

  /// From now on calls `look` with what point.how_far() says, several times a second while a trial
  /// runs. Each costs the trial a moment of a processor.
  void look_on(std::function<void(const std::string&)> look) { look_ = std::move(look); }

  /// Runs one trial of `point` to its end, whatever that is.
  TrialEnd run(const Point& point, const TrialRequest& request);

 private:
  enum class Event { kTimer, kChildEnded, kSignal };

  /// What a trial that runs to a count had done when somebody last looked and it was more than before.
  struct Progress {
    std::uint64_t seen;
    std::int64_t at_ns;
    bool is_new(std::uint64_t now);
  };

  Event wait_for_event();
  void arm(double seconds_from_now);
  /// Whether a signal that ends the run is there, or comes so soon.
  bool signal_comes(double within_seconds);
  TrialEnd interrupted() const;
  void kill_and_reap(pid_t child);
  /// Until the child is gone. What the trial says of itself is still to be read.
  TrialEnd watch(pid_t child, const Point& point, const TrialRequest& request,
                 TrialControl& control, void* memory);
  /// After the time is up.
  TrialEnd give_up(pid_t child, const Point& point, TrialPhase phase, bool is_timed, void* memory);

  /// Waits for an event other than a look, of which there may be some before.
  Event watch_until(std::int64_t deadline_ns, const Point& point, const void* memory);

  std::function<void(const std::string&)> look_;
  EndingSignals signals_;
  int signal_fd_ = -1;
  int timer_fd_ = -1;
  int last_signal_ = 0;
};

}  // namespace futex_bench
