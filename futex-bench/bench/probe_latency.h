// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `--probe latency`: the time from before lock() until it has returned, for some acquisitions.
///
/// Acquisitions are chosen at random distances, uniform in 1 .. 2N-1, one in N on average: a fixed
/// step could fall in with the rhythm of the lock, and a thread that gets the lock seldom has the
/// same chance per acquisition as any other. The loop is closed: a thread that waits asks for
/// nothing else meanwhile, so a long wait counts once (no correction for coordinated omission).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/locks/platform.h"
#include "common/stats/histogram.h"
#include "common/stats/metric.h"
#include "common/system/tsc.h"
#include "futex-bench/bench/lock_loop.h"

namespace futex_bench {

/// What one thread has measured, in ticks of the clock. The thread writes; others read `asked` at
/// any time and the histogram after the thread has ended or been killed.
struct LatencySlot {
  alignas(kCacheLine) std::atomic<std::uint64_t> asked{0};  ///< stamp of the wait going on, or 0
  Histogram ticks;
};

/// The probe of the loop. `Clock` has before() and after() like StampClock.
template <class Clock>
class Latency {
 public:
  /// Times one acquisition in `sample` on average (at least 1), into `slot`, until the limit of
  /// `worker` is 0: what a thread does after the deadline is not measured. `seed` tells the
  /// threads' choices apart.
  Latency(const Clock& clock, LatencySlot& slot, const WorkerSlot& worker, std::uint64_t sample,
          std::uint32_t seed)
      : clock_(clock),
        slot_(&slot),
        worker_(&worker),
        width_(2 * sample - 1),
        random_(std::uint64_t{seed} * 0x9e3779b97f4a7c15 + 1) {
    choose();
  }

  void ask() noexcept {
    if (--left_ != 0) [[likely]]
      return;
    asked_ = clock_.before();
    slot_->asked.store(asked_, std::memory_order_relaxed);
  }
  void enter() noexcept {
    if (left_ != 0) [[likely]]
      return;
    entered_ = clock_.after();
    slot_->asked.store(0, std::memory_order_relaxed);
  }
  void leave() noexcept {}
  void done() noexcept {
    if (left_ != 0) [[likely]]
      return;
    choose();
    if (worker_->limit.load(std::memory_order_relaxed) == 0) return;
    // Stamps of two processors may be off by a few ticks.
    slot_->ticks.record(entered_ > asked_ ? entered_ - asked_ : 0);
  }

 private:
  /// Marsaglia's xorshift64 ("Xorshift RNGs", 2003); the remainder's bias does not matter here.
  void choose() noexcept {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    left_ = random_ % width_ + 1;
  }

  Clock clock_;
  LatencySlot* slot_;
  const WorkerSlot* worker_;
  std::uint64_t width_;
  std::uint64_t random_;
  std::uint64_t left_ = 0;  ///< acquisitions until the next one that is timed, itself included
  std::uint64_t asked_ = 0;
  std::uint64_t entered_ = 0;
};

/// The loop around the lock of that name with this probe; nullptr if there is no such lock.
using LatencyLoop = void (*)(void* lock, const LoopWork& work, WorkerSlot& slot,
                             Latency<StampClock> probe);
LatencyLoop latency_loop(std::string_view name);

/// What the probe shows for a lock that takes no time at all, in ticks: the part of the clock's own
/// cost that is in every figure. The median of a thousand.
double stamp_cost_ticks(const StampClock& clock);

/// Longest of the waits that have not ended at `now`, in ticks; 0 if there are none.
std::uint64_t longest_pending(std::span<const LatencySlot> slots, std::uint64_t now);

/// What the controller knows about time.
struct StampTimes {
  double ns_per_tick;             ///< of the clock used; 1 for CLOCK_MONOTONIC
  double cost_ticks;              ///< from stamp_cost_ticks
  std::uint64_t longest_pending;  ///< ticks
};

std::span<const Metric> latency_metrics();

/// One value per metric; NaN where nothing was timed.
std::vector<double> latency_values(std::span<const LatencySlot> slots, const StampTimes& times);

}  // namespace futex_bench
