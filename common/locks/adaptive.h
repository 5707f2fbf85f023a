// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Spin for as long as it has paid lately, then sleep; now and then let another thread run.
///
/// | word | meaning                                         | left by                             |
/// |------|-------------------------------------------------|-------------------------------------|
/// | 0    | free; sleepers may exist, one of them is awake  | lock: 0 -> 1; after parking: -> 2   |
/// | 1    | held, nobody has asked to be woken              | unlock: exchange 0; waiter: -> 2    |
/// | 2    | held, the owner must wake somebody              | unlock: exchange 0, then FUTEX_WAKE |
///
/// INV1  Only the owner moves the word to 0.
/// INV2  While a thread sleeps on the word, the word is 2, or a thread that was woken has not yet
///       taken the lock and will take it as 2. A spinner takes it as 1 although others may sleep:
///       whoever moved the word from 2 to 0 has woken one of them, and that one will take it as 2.
///
/// How long to spin. A waiter looks at the word only after a randomised pause, a window that
/// doubles from kFirstWindow to kLastWindow (Thomas Anderson, "The performance of spin lock
/// alternatives", 1990): while it does not look, the owner keeps the cache line and can take the
/// lock again. It gives up after a number of looks that follows what successful spinners have
/// needed, as glibc does it for PTHREAD_MUTEX_ADAPTIVE_NP: twice the moving average and a bit, the
/// average taking in an eighth of each new value. A waiter that gave up lets the average shrink by
/// an eighth, so that long critical sections and preempted owners are soon slept through; the "bit"
/// keeps trying whether spinning pays again. Looks and not pauses are averaged because the windows
/// double: one look more at the end is as long as all before it. In all it spends at most
/// kDefaultSpin pauses, about what going to sleep and being woken costs: more can never be repaid
/// (Anna Karlin et al., "Empirical studies of competitive spinning", 1991).
///
/// Giving way. With work between two acquisitions few threads wait for the lock: most wait for a
/// processor, and no hand-over of the lock reaches those. A running thread keeps its processor for a
/// time slice of some milliseconds, so that of many threads only a few run within 10 ms; a lock that
/// sleeps more often is fairer for its context switches. Here a waiter whose first look has failed
/// calls sched_yield once in a random time of 0 to about 0.26 ms, counted for the whole lock: the
/// next thread gets the processor for the price of one switch, and the owner if it was preempted.
/// That promises nothing (with many processors each has its turn seldom, and without spinning nobody
/// gives way), hence the lock is still a barging one.
///
/// The constants were chosen by measurement on two processors, 1 to 1024 threads. First and last
/// windows of 8 and 128 pauses gave 1.3 times as much with an empty critical section, but less than
/// the best of the others with one of 200 ns; 1 and 32 gave less with an empty one. Giving way half
/// or a quarter as often was no faster, and its median fairness lower from 16 threads on.
#pragma once

#include <algorithm>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// See the head of this file.
template <Platform P>
class AdaptiveLock {
 public:
  static constexpr std::string_view kName = "adaptive";
  static constexpr std::string_view kSummary =
      "spins with backoff for as long as it has paid lately, yields now and then; FUTEX_WAIT";
  static constexpr std::string_view kSource =
      "glibc's PTHREAD_MUTEX_ADAPTIVE_NP estimate with the backoff of Anderson (1990)";
  /// Pauses that one acquisition spends at most before it sleeps.
  static constexpr std::uint32_t kDefaultSpin = 768;
  static constexpr LockTraits kTraits{
      .fairness = Fairness::kBarging,
      .spins = true,
      .parks = true,
      .needs = FutexOperation::kWait,
      .takes_spin = true,
      .default_spin = kDefaultSpin,
      .parameters =
          "window of 2 pauses, doubling to 64; gives up after 2 x average + 2 looks; "
          "sched_yield after a random 0 to 0.26 ms"};
  using Context = NoContext;

  explicit AdaptiveLock(const LockConfig& config)
      : scope_(config.scope), most_pauses_(config.spin.value_or(kDefaultSpin)) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = kFree;
    // Acquire pairs with the release in unlock.
    if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return;
    }
    lock_slow();
  }

  void unlock(Context&) noexcept {
    if (word_.exchange(kFree, std::memory_order_release) == kContended) wake_slow();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kContended = 2;
  static constexpr std::uint32_t kFirstWindow = 2;
  static constexpr std::uint32_t kLastWindow = 64;
  /// Added to twice the average, so that an average of 0 does not end spinning for good.
  static constexpr std::int32_t kTrialLooks = 2;
  static constexpr std::int32_t kFirstAverage = 6;
  /// A new value moves the average by one part in this many.
  static constexpr std::int32_t kSmoothing = 8;
  /// The average is kept in sixteenths of a look.
  static constexpr std::int32_t kOneLook = 16;
  /// Longest time until a waiter gives way: a power of two for the random number.
  static constexpr std::int64_t kMostNsUntilGivingWay = 1 << 18;

  [[gnu::noinline, gnu::cold]] void lock_slow() noexcept {
    P::note_slow_path();
    if (spin()) return;
    // Acquire: an exchange that finds 0 has taken the lock.
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) {
      P::futex_wait(word_, kContended, scope_);
    }
  }

  /// Returns whether it got the lock. Relaxed accesses to the average: it is an estimate, and a
  /// lost update costs nothing.
  bool spin() noexcept {
    const std::int32_t average = average_.load(std::memory_order_relaxed);
    const std::int32_t most_looks = 2 * average / kOneLook + kTrialLooks;
    std::uint32_t window = kFirstWindow;
    std::uint32_t spent = 0;
    for (std::int32_t looks = 1; looks <= most_looks && spent < most_pauses_; ++looks) {
      const std::uint32_t pauses =
          std::min(window + (P::random() & (window - 1)), most_pauses_ - spent);
      for (std::uint32_t i = 0; i < pauses; ++i) P::pause();
      spent += pauses;
      std::uint32_t seen = word_.load(std::memory_order_relaxed);
      if (seen == kFree && word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                                         std::memory_order_relaxed)) {
        learn(average, looks);
        return true;
      }
      if (looks == 1 && time_to_give_way()) P::yield();
      window = std::min(window * 2, kLastWindow);
    }
    learn(average, 0);
    return false;
  }

  /// Relaxed accesses and two steps: two threads that both find the time up both give way.
  bool time_to_give_way() noexcept {
    const std::int64_t now = P::now_ns();
    if (now <= give_way_at_ns_.load(std::memory_order_relaxed)) return false;
    give_way_at_ns_.store(now + P::random() % kMostNsUntilGivingWay, std::memory_order_relaxed);
    return true;
  }

  void learn(std::int32_t average, std::int32_t looks) noexcept {
    const std::int32_t step = (looks * kOneLook - average) / kSmoothing;
    if (step != 0) average_.store(average + step, std::memory_order_relaxed);
  }

  [[gnu::noinline, gnu::cold]] void wake_slow() noexcept { P::futex_wake(&word_, 1, scope_); }

  alignas(kCacheLine) typename P::template Atomic<std::uint32_t> word_{kFree};
  alignas(kCacheLine) FutexScope scope_;
  std::uint32_t most_pauses_;
  typename P::template Atomic<std::int32_t> average_{kFirstAverage * kOneLook};
  typename P::template Atomic<std::int64_t> give_way_at_ns_{0};
};

}  // namespace futex_bench
