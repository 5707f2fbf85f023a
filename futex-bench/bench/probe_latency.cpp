// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_latency.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "common/locks/all.h"
#include "common/locks/libraries.h"
#include "futex-bench/bench/lock_table_entry.h"

namespace futex_bench {
namespace {

const auto kMetrics = std::to_array<Metric>({
    {"latency_p50", "ns", Direction::kLowerIsBetter,
     "Time from before lock() until it has returned, median of the acquisitions timed. The clock's "
     "cost (clock_cost) is in it. Percentiles are within 1/64 of the value."},
    {"latency_p90", "ns", Direction::kLowerIsBetter, "The same, 90th percentile."},
    {"latency_p99", "ns", Direction::kLowerIsBetter, "The same, 99th percentile."},
    {"latency_p99_9", "ns", Direction::kLowerIsBetter, "The same, 99.9th percentile."},
    {"latency_max", "ns", Direction::kLowerIsBetter,
     "Longest of the waits timed, those that had not ended at the deadline included."},
    {"latency_samples", "1", Direction::kNeutral, "Acquisitions timed."},
    {"clock_cost", "ns", Direction::kNeutral,
     "What the probe shows for a lock that takes no time: the clock's part in each latency."},
});

constexpr auto kLoops = probed_loops<Latency<StampClock>>(ModelledLocks<LinuxPlatform>{},
                                                          SystemLocks{}, LibraryLocks{});

}  // namespace

LatencyLoop latency_loop(std::string_view name) {
  const auto* const found = std::ranges::find(kLoops, name, &ProbedLoop<Latency<StampClock>>::name);
  return found == kLoops.end() ? nullptr : found->run;
}

double stamp_cost_ticks(const StampClock& clock) {
  constexpr int kRounds = 1000;
  const auto slot = std::make_unique<LatencySlot>();
  WorkerSlot worker;
  worker.limit = kRounds;
  Latency<StampClock> probe(clock, *slot, worker, 1, 0);
  for (int i = 0; i < kRounds; ++i) {
    probe.ask();
    probe.enter();
    probe.leave();
    probe.done();
  }
  return slot->ticks.percentile(50);
}

std::uint64_t longest_pending(std::span<const LatencySlot> slots, std::uint64_t now) {
  std::uint64_t longest = 0;
  for (const LatencySlot& slot : slots) {
    const std::uint64_t asked = slot.asked.load(std::memory_order_relaxed);
    if (asked != 0 && asked < now) longest = std::max(longest, now - asked);
  }
  return longest;
}

std::span<const Metric> latency_metrics() { return kMetrics; }

std::vector<double> latency_values(std::span<const LatencySlot> slots, const StampTimes& times) {
  const auto merged = std::make_unique<Histogram>();
  for (const LatencySlot& slot : slots) merged->merge(slot.ticks);
  std::uint64_t longest = times.longest_pending;
  if (merged->count() != 0) longest = std::max(longest, merged->max());
  const auto percentile = [&](double p) { return merged->percentile(p) * times.ns_per_tick; };
  return {
      percentile(50),
      percentile(90),
      percentile(99),
      percentile(99.9),
      longest == 0 && merged->count() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : static_cast<double>(longest) * times.ns_per_tick,
      static_cast<double>(merged->count()),
      times.cost_ticks * times.ns_per_tick,
  };
}

}  // namespace futex_bench
