// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_syscalls.h"

#include <algorithm>
#include <limits>

#include "common/locks/all.h"
#include "futex-bench/bench/lock_table_entry.h"

namespace futex_bench {
namespace {

const auto kMetrics = std::to_array<Metric>({
    {"futex_waits", "/kiter", Direction::kLowerIsBetter, "FUTEX_WAIT calls per 1000 iterations."},
    {"waits_eagain", "/kiter", Direction::kLowerIsBetter,
     "Of these, calls that returned at once because the word had changed before the thread was "
     "queued (EAGAIN)."},
    {"waits_eintr", "/kiter", Direction::kNeutral, "Of these, calls ended by a signal (EINTR)."},
    {"waits_woken", "/kiter", Direction::kNeutral, "Of these, calls ended by a wake."},
    {"waits_in_vain", "/kiter", Direction::kLowerIsBetter,
     "Of the woken, those that found the word at the value they had waited on: the wake was "
     "spurious, or another thread was faster."},
    {"futex_wakes", "/kiter", Direction::kLowerIsBetter, "FUTEX_WAKE calls per 1000 iterations."},
    {"wakes_of_nobody", "/kiter", Direction::kLowerIsBetter,
     "Of these, calls that found nobody asleep."},
    {"pauses", "/kiter", Direction::kNeutral, "Rounds of spin loops per 1000 iterations."},
    {"yields", "/kiter", Direction::kNeutral, "sched_yield calls per 1000 iterations."},
});
static_assert(std::tuple_size_v<decltype(kMetrics)> == kPlatformCalls);

/// Those of SystemLocks that reach the kernel through a platform. A mode that is in neither list
/// just has no counts.
using CountedSystemLocks = LockList<          //
    PiLock<CountingPlatform, FUTEX_LOCK_PI>,  //
    PiLock<CountingPlatform, kFutexLockPi2>>;

constexpr auto kTable = lock_entries(ModelledLocks<CountingPlatform>{}, CountedSystemLocks{});

}  // namespace

const LockEntry* find_counting_lock(std::string_view name) {
  const auto* const found = std::ranges::find(kTable, name, &LockEntry::name);
  return found == kTable.end() ? nullptr : found;
}

CallCounts read_tally(const CallTally& tally) {
  CallCounts counts;
  for (std::size_t i = 0; i < kPlatformCalls; ++i) {
    counts[i] = tally.counts[i].load(std::memory_order_relaxed);
  }
  return counts;
}

std::span<const Metric> syscall_metrics() { return kMetrics; }

std::vector<double> syscall_values(std::span<const CallCounts> threads, std::uint64_t iterations,
                                   bool counted) {
  std::vector<double> values(kPlatformCalls, std::numeric_limits<double>::quiet_NaN());
  if (!counted || iterations == 0) return values;
  for (std::size_t i = 0; i < kPlatformCalls; ++i) {
    std::uint64_t sum = 0;
    for (const CallCounts& counts : threads) sum += counts[i];
    values[i] = static_cast<double>(sum) * 1e3 / static_cast<double>(iterations);
  }
  return values;
}

}  // namespace futex_bench
