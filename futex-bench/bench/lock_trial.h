// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One trial of `lock`: the child's side that measures, and the parent's that reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/stats/metric.h"
#include "futex-bench/bench/lock_table.h"
#include "futex-bench/bench/probe.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

inline constexpr std::uint64_t kDefaultSample = 64;

/// Everything a trial needs to know.
struct LockTrial {
  const LockEntry* lock = nullptr;
  LockConfig config{};
  unsigned threads = 1;
  std::optional<std::uint64_t> iterations{};  ///< total, split over the threads; else time-based
  std::uint64_t hold_units = 0;
  std::uint64_t gap_units = 0;
  std::vector<std::vector<int>> cpus{};  ///< from place(): one list per thread, or empty
  bool verify = false;                   ///< check exclusion also where the request does not ask
  std::optional<unsigned> lock_node{};   ///< memory node of the lock; anywhere if not given
  ProbeSet probes{};
  std::uint64_t sample = kDefaultSample;  ///< latency: one acquisition in so many is timed
  bool tsc = false;                       ///< latency, fairness: time by the TSC
};

/// The metrics of a trial with these probes, in the order of lock_trial_values. Those that every
/// trial has come first. The span stays valid.
std::span<const Metric> lock_trial_metrics(const ProbeSet& probes = {});

/// Bytes of the memory that child and parent share.
std::size_t lock_trial_bytes(const LockTrial& trial);

/// Measures. Runs in the child; everything it makes is gone or goes with the process.
void run_lock_trial(const LockTrial& trial, const TrialRequest& request, TrialControl& control,
                    void* memory);

/// One value per metric, NaN where not available. Runs in the parent.
std::vector<double> lock_trial_values(const LockTrial& trial, const void* memory);

/// Reads the counters in the parent, for a child whose controller gets no processor. What only the child
/// can tell (processor time, switches, windows of fairness, counters of the processor) is not available
/// then.
void read_lock_trial_late(const LockTrial& trial, void* memory);

/// How a verified trial found the lock broken, if it did. Threads that had to be killed leave their last
/// acquisition uncounted, so then only the owner check speaks. Runs in the parent.
std::optional<std::string> lock_trial_violation(const LockTrial& trial, const void* memory);

/// Iterations done so far by all threads. Runs in the parent, at any time.
std::uint64_t lock_trial_progress(const LockTrial& trial, const void* memory);

/// The iterations of thread `index` of `threads` when `total` are split: shares differ by at most
/// one and add up to the total.
std::uint64_t iteration_share(std::uint64_t total, unsigned threads, unsigned index);

}  // namespace futex_bench
