// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_trial.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>

#include "common/system/clock.h"
#include "common/system/placement.h"
#include "common/system/shared_memory.h"
#include "common/system/thread_team.h"
#include "futex-bench/bench/lock_trial_memory.h"
#include "futex-bench/bench/probe_session.h"

namespace futex_bench {
namespace {

/// The lock in memory of its own: alone on its cache lines, on the node asked for, in pages that
/// other processes could map if the futexes are shared.
class PlacedLock {
 public:
  PlacedLock(const LockEntry& entry, const LockTrial& trial)
      : entry_(entry),
        mapping_(entry.size, trial.config.scope == FutexScope::kShared ? Mapping::Kind::kShared
                                                                       : Mapping::Kind::kPrivate) {
    if (trial.lock_node) bind_memory(mapping_.address(), mapping_.bytes(), *trial.lock_node);
    entry_.construct(mapping_.address(), trial.config);
  }
  ~PlacedLock() { entry_.destroy(mapping_.address()); }
  PlacedLock(const PlacedLock&) = delete;
  PlacedLock& operator=(const PlacedLock&) = delete;
  void* address() const { return mapping_.address(); }

 private:
  const LockEntry& entry_;
  Mapping mapping_;
};

/// Reads all counters. The interval ends at the stamp before: reading 1024 cache lines takes some
/// ten microseconds.
void take_snapshot(const Layout<std::byte>& shared) {
  shared.totals->end_ns = now_ns();
  for (std::size_t i = 0; i < shared.slots.size(); ++i) {
    const WorkerSlot& slot = shared.slots[i];
    shared.snapshots[i] = {slot.acquisitions.load(std::memory_order_relaxed),
                           slot.slow_paths.load(std::memory_order_relaxed),
                           slot.start_ns.load(std::memory_order_relaxed),
                           slot.end_ns.load(std::memory_order_relaxed)};
  }
}

void store_cpu_times(const CpuTimes& before, Totals& totals) {
  const CpuTimes after = process_cpu_times();
  totals.user_seconds = after.user_seconds - before.user_seconds;
  totals.system_seconds = after.system_seconds - before.system_seconds;
  totals.voluntary_switches =
      static_cast<double>(after.voluntary_switches - before.voluntary_switches);
  totals.involuntary_switches =
      static_cast<double>(after.involuntary_switches - before.involuntary_switches);
}

}  // namespace

std::size_t lock_trial_bytes(const LockTrial& trial) { return Layout<std::byte>::bytes(trial); }

std::uint64_t iteration_share(std::uint64_t total, unsigned threads, unsigned index) {
  return total / threads + (index < total % threads ? 1 : 0);
}

/// Iterations of a trial whose figures do not count: a warm-up need not take as long as the rest.
constexpr std::uint64_t kMostToVerify = 100'000;

void run_lock_trial(const LockTrial& trial, const TrialRequest& request, TrialControl& control,
                    void* memory) {
  const unsigned threads = trial.threads;
  const Layout shared(static_cast<std::byte*>(memory), trial);
  std::uninitialized_default_construct(shared.slots.begin(), shared.slots.end());
  VerifyState& verified = *new (shared.verify) VerifyState;
  const std::uint64_t total =
      std::min(trial.iterations.value_or(0), request.verify ? kMostToVerify : kUntilStopped);
  for (unsigned i = 0; i < threads; ++i) {
    shared.slots[i].limit = trial.iterations ? iteration_share(total, threads, i) : kUntilStopped;
  }
  const LoopWork work{.hold = trial.hold_units, .gap = trial.gap_units};
  ProbeSession probes(trial, shared);
  PlacedLock lock(probes.lock(), trial);
  verified.checked = (request.verify || trial.verify) && trial.lock->traits.excludes;

  CpuTimes before;
  std::atomic<unsigned> left{0};

  const auto body = [&](unsigned index) {
    WorkerSlot& slot = shared.slots[index];
    LinuxPlatform::count_slow_paths_in(slot.slow_paths);
    // Also for the verified loop, which goes with this probe.
    if (trial.probes.syscalls) CountingPlatform::count_in(shared.tallies[index]);
    if (verified.checked) {
      probes.lock().run_verified(lock.address(), work, slot, verified, index + 1);
    } else {
      probes.run(lock.address(), work, index);
    }
    // With a count to do, the last one out looks at the clock of the processors: what it takes to end
    // and join the threads is not the lock's. Acquire and release: it sees what the others counted.
    if (left.fetch_add(1, std::memory_order_acq_rel) + 1 == threads && trial.iterations) {
      store_cpu_times(before, *shared.totals);
    }
  };

  std::unique_ptr<ThreadTeam> team;
  try {
    team = std::make_unique<ThreadTeam>(threads, trial.cpus, body);
  } catch (const ThreadsNotCreated& error) {
    control.fail(error.what());
    return;
  }

  probes.start();
  before = process_cpu_times();
  const std::int64_t gate_ns = now_ns();
  shared.totals->gate_ns = gate_ns;
  control.gate_ns.store(gate_ns, std::memory_order_relaxed);
  control.phase.store(TrialPhase::kRunning, std::memory_order_release);
  team->open_gate();
  if (trial.iterations) {
    probes.wait_for_shares();
    team->join();
  } else {
    probes.wait_until(gate_ns + static_cast<std::int64_t>(request.runtime * 1e9));
  }
  take_snapshot(shared);
  if (!trial.iterations) store_cpu_times(before, *shared.totals);
  probes.stop();
  if (trial.iterations) {
    // The interval ends with the last iteration; what joining took is not the lock's.
    std::int64_t last_ns = gate_ns;
    for (unsigned i = 0; i < threads; ++i) last_ns = std::max(last_ns, shared.snapshots[i].end_ns);
    shared.totals->end_ns = last_ns;
  }
  control.phase.store(TrialPhase::kMeasured, std::memory_order_release);

  for (unsigned i = 0; i < threads; ++i) shared.slots[i].stop();
  team->join();
}

void read_lock_trial_late(const LockTrial& trial, void* memory) {
  const Layout shared(static_cast<std::byte*>(memory), trial);
  take_snapshot(shared);
  read_probe_slots(trial, shared);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  shared.totals->user_seconds = kNone;
  shared.totals->system_seconds = kNone;
  shared.totals->voluntary_switches = kNone;
  shared.totals->involuntary_switches = kNone;
  shared.totals->fairness.window_jain = kNone;
  shared.totals->fairness.windows = kNone;
  shared.totals->fairness.window_ms = kNone;
  shared.totals->perf.available = {};
}

}  // namespace futex_bench
