// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numeric>

#include "common/stats/fairness.h"
#include "common/system/clock.h"
#include "common/system/limits.h"
#include "common/system/placement.h"
#include "common/system/shared_memory.h"
#include "common/system/thread_team.h"

namespace futex_bench {
namespace {

/// What the controller has read at the deadline. The parent reads it after the child is gone.
struct Totals {
  std::int64_t gate_ns;
  std::int64_t end_ns;
  double user_seconds;
  double system_seconds;
  std::uint64_t voluntary_switches;
  std::uint64_t involuntary_switches;
};

/// One thread at the deadline: its slot goes on changing until it has left the lock.
struct Snapshot {
  std::uint64_t acquisitions;
  std::uint64_t slow_paths;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

/// The shared memory, laid out by hand because the number of threads is a run-time matter.
template <class Byte>
struct Layout {
  Layout(Byte* base, unsigned threads)
      : slots(reinterpret_cast<Like<WorkerSlot>*>(base)),
        snapshots(reinterpret_cast<Like<Snapshot>*>(base + threads * sizeof(WorkerSlot))),
        totals(reinterpret_cast<Like<Totals>*>(
            base + threads * (sizeof(WorkerSlot) + sizeof(Snapshot)))) {}
  template <class T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  static std::size_t bytes(unsigned threads) {
    return threads * (sizeof(WorkerSlot) + sizeof(Snapshot)) + sizeof(Totals);
  }
  Like<WorkerSlot>* slots;
  Like<Snapshot>* snapshots;
  Like<Totals>* totals;
};

const auto kMetrics = std::to_array<Metric>({
    {"throughput", "Kiter/s", Direction::kHigherIsBetter,
     "Acquisitions by all threads per measured interval."},
    {"user", "s", Direction::kNeutral, "User time of all threads in the interval (getrusage)."},
    {"system", "s", Direction::kNeutral, "System time of all threads in the interval (getrusage)."},
    {"wall", "s", Direction::kNeutral, "Length of the interval, CLOCK_MONOTONIC."},
    {"cores", "1", Direction::kNeutral, "Effective cores: (user + system) / wall."},
    {"jain", "1", Direction::kHigherIsBetter,
     "Jain's fairness index of the acquisitions per thread: 1 if equal, 1/n if one had all."},
    {"min_share", "1", Direction::kHigherIsBetter,
     "Smallest share of a thread relative to 1/n; 1 is exactly fair."},
    {"max_share", "1", Direction::kLowerIsBetter, "Largest share of a thread relative to 1/n."},
    {"starved", "1", Direction::kLowerIsBetter, "Threads that never got the lock."},
    {"slow_share", "1", Direction::kNeutral,
     "Share of acquisitions that did not succeed at their first attempt."},
    {"voluntary_switches", "1", Direction::kNeutral, "Times a thread went to sleep."},
    {"involuntary_switches", "1", Direction::kNeutral,
     "Times the scheduler took the processor from a thread."},
    {"overlap", "1", Direction::kNeutral,
     "Threads between their first and last iteration, averaged over the interval, divided by the "
     "threads asked for."},
});

/// The lock in memory of its own: alone on its cache lines, on the node asked for, in pages that
/// other processes could map if the futexes are shared.
class PlacedLock {
 public:
  explicit PlacedLock(const LockTrial& trial)
      : entry_(*trial.lock),
        mapping_(trial.lock->size, trial.config.scope == FutexScope::kShared
                                       ? Mapping::Kind::kShared
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
void take_snapshot(unsigned threads, const Layout<std::byte>& shared) {
  shared.totals->end_ns = now_ns();
  for (unsigned i = 0; i < threads; ++i) {
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
  totals.voluntary_switches = after.voluntary_switches - before.voluntary_switches;
  totals.involuntary_switches = after.involuntary_switches - before.involuntary_switches;
}

std::string threads_missing(const ThreadsNotCreated& error) {
  return fmt::format("{}; {}", error.what(), describe(read_thread_limits("/")));
}

}  // namespace

std::span<const Metric> lock_trial_metrics() { return kMetrics; }

std::size_t lock_trial_bytes(const LockTrial& trial) {
  return Layout<std::byte>::bytes(trial.threads);
}

std::uint64_t iteration_share(std::uint64_t total, unsigned threads, unsigned index) {
  return total / threads + (index < total % threads ? 1 : 0);
}

void run_lock_trial(const LockTrial& trial, const TrialRequest& request, TrialControl& control,
                    void* memory) {
  const unsigned threads = trial.threads;
  const Layout shared(static_cast<std::byte*>(memory), threads);
  std::uninitialized_default_construct_n(shared.slots, threads);
  for (unsigned i = 0; i < threads; ++i) {
    shared.slots[i].limit =
        trial.iterations ? iteration_share(*trial.iterations, threads, i) : kUntilStopped;
  }
  const LoopWork work{.hold = trial.hold_units, .gap = trial.gap_units};
  PlacedLock lock(trial);
  VerifyState verified;
  const bool verify = (request.verify || trial.verify) && trial.lock->traits.excludes;

  const auto body = [&](unsigned index) {
    WorkerSlot& slot = shared.slots[index];
    LinuxPlatform::count_slow_paths_in(slot.slow_paths);
    if (verify) {
      trial.lock->run_verified(lock.address(), work, slot, verified, index + 1);
    } else {
      trial.lock->run(lock.address(), work, slot);
    }
  };

  std::unique_ptr<ThreadTeam> team;
  try {
    team = std::make_unique<ThreadTeam>(threads, trial.cpus, body);
  } catch (const ThreadsNotCreated& error) {
    control.fail(TrialPhase::kFailed, threads_missing(error));
    return;
  }

  const CpuTimes before = process_cpu_times();
  const std::int64_t gate_ns = now_ns();
  shared.totals->gate_ns = gate_ns;
  control.gate_ns.store(gate_ns, std::memory_order_relaxed);
  control.phase.store(TrialPhase::kRunning, std::memory_order_release);
  team->open_gate();
  if (trial.iterations) {
    team->join();
  } else {
    sleep_until_ns(gate_ns + static_cast<std::int64_t>(request.runtime * 1e9));
  }
  take_snapshot(threads, shared);
  store_cpu_times(before, *shared.totals);
  if (trial.iterations) {
    // The interval ends with the last iteration; what joining took is not the lock's.
    std::int64_t last_ns = gate_ns;
    for (unsigned i = 0; i < threads; ++i) last_ns = std::max(last_ns, shared.snapshots[i].end_ns);
    shared.totals->end_ns = last_ns;
  }
  control.phase.store(TrialPhase::kMeasured, std::memory_order_release);

  for (unsigned i = 0; i < threads; ++i) shared.slots[i].stop();
  team->join();
  if (verify) {
    std::uint64_t acquisitions = 0;
    for (unsigned i = 0; i < threads; ++i) {
      acquisitions += shared.slots[i].acquisitions.load(std::memory_order_relaxed);
    }
    const std::uint64_t overlaps = verified.overlaps.load(std::memory_order_relaxed);
    if (overlaps != 0 || verified.counter != acquisitions) {
      control.fail(
          TrialPhase::kViolated,
          fmt::format("mode {}, {} threads: the lock does not exclude: {} times two "
                      "threads were inside, {} acquisitions counted as {}",
                      trial.lock->name, threads, overlaps, acquisitions, verified.counter));
    }
  }
}

std::uint64_t lock_trial_progress(const LockTrial& trial, const void* memory) {
  const Layout shared(static_cast<const std::byte*>(memory), trial.threads);
  return std::accumulate(shared.slots, shared.slots + trial.threads, std::uint64_t{0},
                         [](std::uint64_t sum, const WorkerSlot& slot) {
                           return sum + slot.acquisitions.load(std::memory_order_relaxed);
                         });
}

std::vector<double> lock_trial_values(const LockTrial& trial, const void* memory) {
  const unsigned threads = trial.threads;
  const Layout shared(static_cast<const std::byte*>(memory), threads);
  const Totals& totals = *shared.totals;
  const double wall = static_cast<double>(totals.end_ns - totals.gate_ns) / 1e9;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto per_wall = [wall](double value) { return wall > 0 ? value / wall : kNone; };

  std::vector<std::uint64_t> acquisitions(threads);
  std::uint64_t total = 0;
  std::uint64_t slow = 0;
  double running_ns = 0;
  for (unsigned i = 0; i < threads; ++i) {
    const Snapshot& thread = shared.snapshots[i];
    acquisitions[i] = thread.acquisitions;
    total += thread.acquisitions;
    slow += thread.slow_paths;
    if (thread.start_ns == 0) continue;  // never got a processor
    const std::int64_t end_ns = thread.end_ns == 0 ? totals.end_ns : thread.end_ns;
    running_ns += static_cast<double>(std::max<std::int64_t>(0, end_ns - thread.start_ns));
  }
  const Shares shares = futex_bench::shares(acquisitions);
  const bool slow_known = trial.lock->traits.counts_slow && total != 0;
  return {
      per_wall(static_cast<double>(total) / 1e3),
      totals.user_seconds,
      totals.system_seconds,
      wall,
      per_wall(totals.user_seconds + totals.system_seconds),
      jain(acquisitions),
      shares.min,
      shares.max,
      static_cast<double>(shares.starved),
      // A thread that was still waiting at the deadline has been counted as slow but has not got
      // the lock, hence the bound.
      slow_known ? std::min(1.0, static_cast<double>(slow) / static_cast<double>(total)) : kNone,
      static_cast<double>(totals.voluntary_switches),
      static_cast<double>(totals.involuntary_switches),
      per_wall(running_ns / 1e9 / threads),
  };
}

}  // namespace futex_bench
