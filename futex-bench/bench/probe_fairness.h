// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `--probe fairness`: how evenly a lock goes round in the short run, which the shares of a whole
/// trial hide.
///
/// Each holder takes a number inside the critical section, one after the other. The distance of two
/// numbers of one thread is the number of acquisitions it took to get the lock again (MTTR is their
/// median), and the windows of numbers it appears in say how many threads share the lock at a time
/// (LWSS). Source of both: Dave Dice, "Malthusian Locks", EuroSys 2017. Besides, each acquisition
/// is timed for the longest wait, and the controller reads the threads' counters every 10 ms.
///
/// The probe effect: two clock reads per acquisition, one of them inside the critical section, and
/// one more cache line that travels with the lock.
#pragma once

#include <algorithm>
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

/// Acquisitions of a window in which distinct owners are counted; the length Dice uses.
inline constexpr std::uint64_t kOwnerWindow = 1000;

/// The number of the last acquisition; protected by the lock that is measured.
struct alignas(kCacheLine) AdmissionOrder {
  std::atomic<std::uint64_t> last{0};
};

/// What one thread has measured. The thread writes; others read `asked` at any time and the rest
/// after the thread has ended or been killed.
struct OwnerSlot {
  alignas(kCacheLine) std::atomic<std::uint64_t> asked{0};  ///< stamp of the wait going on, or 0
  std::uint64_t longest = 0;  ///< longest wait that has ended, in ticks
  std::uint64_t last = 0;     ///< number of the last acquisition, from 1; 0 if there was none
  std::uint64_t windows = 0;  ///< windows it has appeared in
  Histogram distances;        ///< acquisitions until it had the lock again: 1 if at once
};

/// The probe of the loop. `Clock` has before() and after() like StampClock.
template <class Clock>
class Ownership {
 public:
  /// Measures into `slot` until the limit of `worker` is 0, like Latency.
  Ownership(const Clock& clock, OwnerSlot& slot, const WorkerSlot& worker, AdmissionOrder& order)
      : clock_(clock), slot_(&slot), worker_(&worker), order_(&order) {}

  void ask() noexcept {
    asked_ = clock_.before();
    slot_->asked.store(asked_, std::memory_order_relaxed);
  }
  void enter() noexcept {
    entered_ = clock_.after();
    // Not one read-modify-write: the lock excludes, and the empty lock shall not be slowed down.
    number_ = order_->last.load(std::memory_order_relaxed) + 1;
    order_->last.store(number_, std::memory_order_relaxed);
    slot_->asked.store(0, std::memory_order_relaxed);
  }
  void leave() noexcept {}
  void done() noexcept {
    if (worker_->limit.load(std::memory_order_relaxed) == 0) return;
    if (entered_ > asked_) slot_->longest = std::max(slot_->longest, entered_ - asked_);
    const std::uint64_t last = slot_->last;
    if (last != 0) slot_->distances.record(number_ - last);
    if (last == 0 || window_of(number_) != window_of(last)) ++slot_->windows;
    slot_->last = number_;
  }

  /// The window a number belongs to, from 0.
  static std::uint64_t window_of(std::uint64_t number) { return (number - 1) / kOwnerWindow; }

 private:
  Clock clock_;
  OwnerSlot* slot_;
  const WorkerSlot* worker_;
  AdmissionOrder* order_;
  std::uint64_t asked_ = 0;
  std::uint64_t entered_ = 0;
  std::uint64_t number_ = 0;
};

/// The loop around the lock of that name with this probe; nullptr if there is no such lock.
using OwnershipLoop = void (*)(void* lock, const LoopWork& work, WorkerSlot& slot,
                               Ownership<StampClock> probe);
OwnershipLoop ownership_loop(std::string_view name);

/// Longest of the waits that have not ended at `now`, in ticks; 0 if there are none. A thread that
/// has not run yet does not wait for the lock.
std::uint64_t longest_pending(std::span<const OwnerSlot> slots, std::uint64_t now);

/// Jain's index over short windows, from the counters that the threads keep anyway. For the
/// controller thread.
class JainWindows {
 public:
  /// How long a window should be. A controller that gets its processor late makes a longer one.
  static constexpr std::int64_t kLengthNs = 10'000'000;

  /// Starts the first window at `now_ns`.
  JainWindows(std::span<const WorkerSlot> slots, std::int64_t now_ns);

  /// When the window should be closed.
  std::int64_t due_ns() const { return opened_ns_ + kLengthNs; }

  /// Ends a window and starts the next. Returns false, and counts no window, once any thread has
  /// left its loop: one that has done its share is not treated badly.
  bool close(std::int64_t now_ns);

  std::size_t count() const { return indices_.size(); }
  /// Median of the index; NaN if there was no window in which anybody got the lock.
  double median_index() const;
  /// Mean length in milliseconds; NaN if there was none.
  double mean_ms() const;

 private:
  std::vector<std::uint64_t> read() const;

  std::span<const WorkerSlot> slots_;
  std::int64_t first_ns_;
  std::int64_t opened_ns_;
  std::vector<std::uint64_t> counts_;
  std::vector<double> indices_;
};

/// What the controller has found.
struct FairnessTotals {
  double window_jain;
  double windows;
  double window_ms;
  std::uint64_t longest_pending;  ///< ticks
  double ns_per_tick;
};

std::span<const Metric> fairness_metrics();

/// One value per metric; NaN where there was nothing to measure. `excludes` is false for what is no
/// lock: then numbers mean nothing.
std::vector<double> fairness_values(std::span<const OwnerSlot> slots, const FairnessTotals& totals,
                                    bool excludes);

}  // namespace futex_bench
