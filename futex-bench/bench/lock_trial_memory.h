// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The memory that the child and the parent of a trial of `lock` share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "futex-bench/bench/lock_trial.h"
#include "futex-bench/bench/probe_fairness.h"
#include "futex-bench/bench/probe_latency.h"
#include "futex-bench/bench/probe_perf.h"
#include "futex-bench/bench/probe_syscalls.h"

namespace futex_bench {

/// What the controller has read at the deadline. The parent reads it after the child is gone.
struct Totals {
  std::int64_t gate_ns;
  std::int64_t end_ns;
  double user_seconds;
  double system_seconds;
  double voluntary_switches;
  double involuntary_switches;
  // Of the probes; each fills in its own.
  std::uint64_t start_ticks;  ///< both just before the gate opened: what ticks are worth
  std::int64_t start_ns;
  StampTimes stamps;
  FairnessTotals fairness;
  PerfInterval perf;
};

/// One thread at the deadline: its slot goes on changing until it has left the lock.
struct Snapshot {
  std::uint64_t acquisitions;
  std::uint64_t slow_paths;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

/// Where everything is, laid out by hand because the number of threads is a run-time matter. `Byte`
/// is std::byte in the child, const std::byte in the parent. What a probe that was not asked for
/// would need takes no room and is an empty span.
template <class Byte>
struct Layout {
  template <class T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  Layout(Byte* base, const LockTrial& trial) : base_(base) {
    const std::size_t threads = trial.threads;
    slots = take<WorkerSlot>(threads);
    if (trial.probes.latency) latency = take<LatencySlot>(threads);
    if (trial.probes.fairness) owners = take<OwnerSlot>(threads);
    if (trial.probes.syscalls) {
      tallies = take<CallTally>(threads);
      calls = take<CallCounts>(threads);
    }
    snapshots = take<Snapshot>(threads);
    totals = take<Totals>(1).data();
    verify = take<VerifyState>(1).data();
  }

  static std::size_t bytes(const LockTrial& trial) { return Layout(nullptr, trial).used_; }

  std::span<Like<WorkerSlot>> slots;
  std::span<Like<LatencySlot>> latency;
  std::span<Like<OwnerSlot>> owners;
  std::span<Like<CallTally>> tallies;
  std::span<Like<CallCounts>> calls;  ///< the tallies at the deadline
  std::span<Like<Snapshot>> snapshots;
  Like<Totals>* totals;
  Like<VerifyState>* verify;

 private:
  /// The next `count` objects. Without a base, which is how to ask for the size, it only counts.
  template <class T>
  std::span<Like<T>> take(std::size_t count) {
    const std::size_t start = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    used_ = start + count * sizeof(T);
    if (base_ == nullptr) return {};
    return {reinterpret_cast<Like<T>*>(base_ + start), count};
  }

  Byte* base_;
  std::size_t used_ = 0;
};

}  // namespace futex_bench
