// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_fairness.h"

#include <array>
#include <limits>
#include <memory>

#include "common/locks/all.h"
#include "common/locks/libraries.h"
#include "common/stats/fairness.h"
#include "common/stats/order_statistics.h"
#include "futex-bench/bench/lock_table_entry.h"

namespace futex_bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const auto kMetrics = std::to_array<Metric>({
    {"window_jain", "1", Direction::kHigherIsBetter,
     "Jain's fairness index of the acquisitions per thread within 10 ms: median of the windows."},
    {"windows", "1", Direction::kNeutral, "Windows that window_jain is the median of."},
    {"window_length", "ms", Direction::kNeutral,
     "Their mean length: more than 10 ms if the controlling thread got its processor late."},
    {"longest_wait", "us", Direction::kLowerIsBetter,
     "Longest time that any thread waited for the lock, waits that had not ended at the deadline "
     "included."},
    {"window_owners", "1", Direction::kNeutral,
     "Distinct threads among 1000 acquisitions in a row, mean of all such windows (LWSS)."},
    {"reacquire_distance", "1", Direction::kNeutral,
     "Acquisitions until the same thread has the lock again, median of all; 1 is at once (MTTR)."},
});

constexpr auto kLoops = probed_loops<Ownership<StampClock>>(ModelledLocks<LinuxPlatform>{},
                                                            SystemLocks{}, LibraryLocks{});

/// Mean of the distinct owners over the windows that were filled.
double mean_owners(std::span<const OwnerSlot> slots) {
  std::uint64_t total = 0;
  for (const OwnerSlot& slot : slots) total = std::max(total, slot.last);
  const std::uint64_t filled = total / kOwnerWindow;
  if (filled == 0) return kNone;
  std::uint64_t appearances = 0;
  for (const OwnerSlot& slot : slots) {
    appearances += slot.windows;
    const bool in_the_rest =
        slot.last != 0 && Ownership<StampClock>::window_of(slot.last) == filled;
    if (in_the_rest) --appearances;
  }
  return static_cast<double>(appearances) / static_cast<double>(filled);
}

}  // namespace

OwnershipLoop ownership_loop(std::string_view name) {
  const auto* const found =
      std::ranges::find(kLoops, name, &ProbedLoop<Ownership<StampClock>>::name);
  return found == kLoops.end() ? nullptr : found->run;
}

std::uint64_t longest_pending(std::span<const OwnerSlot> slots, std::uint64_t now) {
  std::uint64_t longest = 0;
  for (const OwnerSlot& slot : slots) {
    const std::uint64_t asked = slot.asked.load(std::memory_order_relaxed);
    if (asked != 0 && asked < now) longest = std::max(longest, now - asked);
  }
  return longest;
}

JainWindows::JainWindows(std::span<const WorkerSlot> slots, std::int64_t now_ns)
    : slots_(slots), first_ns_(now_ns), opened_ns_(now_ns), counts_(read()) {}

bool JainWindows::close(std::int64_t now_ns) {
  for (const WorkerSlot& slot : slots_) {
    if (slot.end_ns.load(std::memory_order_relaxed) != 0) return false;
  }
  const std::vector<std::uint64_t> counts = read();
  std::vector<std::uint64_t> got(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) got[i] = counts[i] - counts_[i];
  counts_ = counts;
  opened_ns_ = now_ns;
  indices_.push_back(jain(got));
  return true;
}

double JainWindows::median_index() const { return median(indices_); }

double JainWindows::mean_ms() const {
  if (indices_.empty()) return kNone;
  return static_cast<double>(opened_ns_ - first_ns_) / 1e6 / static_cast<double>(indices_.size());
}

std::vector<std::uint64_t> JainWindows::read() const {
  std::vector<std::uint64_t> counts;
  counts.reserve(slots_.size());
  for (const WorkerSlot& slot : slots_) {
    counts.push_back(slot.acquisitions.load(std::memory_order_relaxed));
  }
  return counts;
}

std::span<const Metric> fairness_metrics() { return kMetrics; }

std::vector<double> fairness_values(std::span<const OwnerSlot> slots, const FairnessTotals& totals,
                                    bool excludes) {
  const auto distances = std::make_unique<Histogram>();
  std::uint64_t longest = totals.longest_pending;
  bool anybody = longest != 0;
  for (const OwnerSlot& slot : slots) {
    distances->merge(slot.distances);
    longest = std::max(longest, slot.longest);
    anybody = anybody || slot.last != 0;
  }
  return {
      totals.window_jain,
      totals.windows,
      totals.window_ms,
      anybody ? static_cast<double>(longest) * totals.ns_per_tick / 1e3 : kNone,
      excludes ? mean_owners(slots) : kNone,
      excludes ? distances->percentile(50) : kNone,
  };
}

}  // namespace futex_bench
