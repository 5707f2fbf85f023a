// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The parent's side: what the counters of a trial say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "common/stats/fairness.h"
#include "futex-bench/bench/lock_trial.h"
#include "futex-bench/bench/lock_trial_memory.h"

namespace futex_bench {
namespace {

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

/// The list of one set of probes.
std::vector<Metric> metrics_with(const ProbeSet& probes) {
  std::vector<Metric> metrics(kMetrics.begin(), kMetrics.end());
  const std::vector<Metric> more = probe_metrics(probes);
  metrics.insert(metrics.end(), more.begin(), more.end());
  return metrics;
}

void append(std::vector<double>& values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

std::span<const Metric> lock_trial_metrics(const ProbeSet& probes) {
  // One list per set, made when first asked for; nodes of a map stay where they are.
  static std::map<std::string, std::vector<Metric>> lists;
  const auto [list, is_new] = lists.try_emplace(to_string(probes));
  if (is_new) list->second = metrics_with(probes);
  return list->second;
}

std::uint64_t lock_trial_progress(const LockTrial& trial, const void* memory) {
  const Layout shared(static_cast<const std::byte*>(memory), trial);
  return std::accumulate(shared.slots.begin(), shared.slots.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const WorkerSlot& slot) {
                           return sum + slot.acquisitions.load(std::memory_order_relaxed);
                         });
}

std::optional<std::string> lock_trial_violation(const LockTrial& trial, const void* memory) {
  const Layout shared(static_cast<const std::byte*>(memory), trial);
  const VerifyState& state = *shared.verify;
  if (!state.checked) return std::nullopt;
  const bool all_left = std::ranges::all_of(shared.slots, [](const WorkerSlot& slot) {
    return slot.end_ns.load(std::memory_order_relaxed) != 0;
  });
  const std::uint64_t acquisitions = lock_trial_progress(trial, memory);
  const std::uint64_t overlaps = state.overlaps.load(std::memory_order_relaxed);
  if (overlaps == 0 && (!all_left || state.counter == acquisitions)) return std::nullopt;
  return fmt::format(
      "mode {}, {} threads: the lock does not exclude: {} times two threads were inside, {} "
      "acquisitions counted as {}",
      trial.lock->name, trial.threads, overlaps, acquisitions, state.counter);
}

std::vector<double> lock_trial_values(const LockTrial& trial, const void* memory) {
  const unsigned threads = trial.threads;
  const Layout shared(static_cast<const std::byte*>(memory), trial);
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
  std::vector<double> values = {
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
      totals.voluntary_switches,
      totals.involuntary_switches,
      per_wall(running_ns / 1e9 / threads),
  };
  // In the order of probe_metrics.
  if (trial.probes.fairness) {
    append(values, fairness_values(shared.owners, totals.fairness, trial.lock->traits.excludes));
  }
  if (trial.probes.latency) append(values, latency_values(shared.latency, totals.stamps));
  if (trial.probes.perf) append(values, perf_values(totals.perf, total));
  if (trial.probes.syscalls) {
    const bool counted = find_counting_lock(trial.lock->name) != nullptr;
    append(values, syscall_values(shared.calls, total, counted));
  }
  return values;
}

}  // namespace futex_bench
