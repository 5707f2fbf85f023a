// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The probes of one trial in the child: what the controller thread does for them, and which loop
/// the threads run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/system/perf_counters.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/lock_trial_memory.h"
#include "futex-bench/bench/probe_fairness.h"
#include "futex-bench/bench/probe_latency.h"

namespace futex_bench {

/// Puts what the slots of the probes say at this moment into the totals: calls, and waits that have
/// not ended. Also for a parent that reads in place of its child.
void read_probe_slots(const LockTrial& trial, const Layout<std::byte>& shared);

/// In the order of the calls: constructor, then the threads are made, start(), the gate opens,
/// wait_...(), stop(). With no probe asked for none of them does anything but sleep.
class ProbeSession {
 public:
  /// Makes the slots in `shared` and the counters, which the threads made later inherit. Both
  /// references are kept.
  ProbeSession(const LockTrial& trial, const Layout<std::byte>& shared);

  /// The lock to measure: the trial's, or the same on CountingPlatform.
  const LockEntry& lock() const { return *lock_; }

  /// The measured loop of thread `index` around the lock at `address`. For the threads,
  /// which count in their tally already.
  void run(void* address, const LoopWork& work, unsigned index);

  /// Just before the gate opens.
  void start();

  /// Sleeps until `deadline_ns`.
  void wait_until(std::int64_t deadline_ns);

  /// May return at any time before all threads have done their share; join comes after it.
  void wait_for_shares();

  /// At the deadline, after the counters of the threads were read.
  void stop();

 private:
  const LockTrial& trial_;
  const Layout<std::byte>& shared_;
  const LockEntry* lock_;
  LatencyLoop latency_loop_ = nullptr;
  OwnershipLoop ownership_loop_ = nullptr;
  StampClock clock_;
  AdmissionOrder order_;
  std::optional<PerfCounters> counters_;
  std::optional<JainWindows> windows_;
};

}  // namespace futex_bench
