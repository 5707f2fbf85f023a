// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What passes between the parent and the child of one trial.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace futex_bench {

/// What the parent asks of a trial.
struct TrialRequest {
  double runtime = 0.2;  ///< seconds to measure, for time-based points
  bool verify = false;   ///< check the result as well as measuring it; figures do not count
  unsigned round = 0;    ///< 0-based, of `rounds` that share what a point counts in total
  unsigned rounds = 1;   ///< rounds beyond those asked for begin at 0 again
};

/// How far a trial has come. Only ever goes forward.
enum class TrialPhase : std::uint32_t {
  kSetup,     ///< threads and memory are being made; nothing measured
  kRunning,   ///< the gate is open
  kMeasured,  ///< counters are final; threads are being ended
  kDone,      ///< all ended
  kFailed,    ///< message says why
};

/// The head of the memory shared by parent and child. The child writes, the parent reads at any
/// time, also after killing the child.
struct TrialControl {
  std::atomic<TrialPhase> phase{TrialPhase::kSetup};
  std::atomic<std::int64_t> gate_ns{0};  ///< CLOCK_MONOTONIC when the gate opened
  char message[512] = {};                ///< written before phase becomes kFailed

  /// Marks the trial as failed, with a message for the user (cut to fit).
  void fail(std::string_view text) noexcept;
};

}  // namespace futex_bench
