// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// How a thread passes the time until a word changes. An algorithm takes a strategy as a template
/// parameter and becomes one mode for each.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// States of a word that one thread waits on and one thread signals, once: kAwaiting when the
/// waiter prepares it, kAsleep only by a strategy that parks, kSignalled at the end.
inline constexpr std::uint32_t kSignalled = 0;
inline constexpr std::uint32_t kAwaiting = 1;
inline constexpr std::uint32_t kAsleep = 2;

/// A strategy of waiting for a signal.
template <class W, class P>
concept WaitStrategy = Platform<P> && std::constructible_from<W, const LockConfig&> &&
    requires(const W& strategy, typename P::template Atomic<std::uint32_t>& word) {
  { W::kParks } -> std::convertible_to<bool>;
  { W::kTakesSpin } -> std::convertible_to<bool>;
  { W::kDefaultSpin } -> std::convertible_to<std::uint32_t>;
  /// Returns once the word is kSignalled. Acquire: pairs with signal.
  { strategy.await(word) }
  noexcept;
  /// Ends the wait on a word that is not kSignalled. Release. The change of the word is the last
  /// access to the object: its owner may destroy it at once.
  { strategy.signal(&word) }
  noexcept;
};

/// A strategy that can also wait on a word that others change without telling anybody.
template <class W, class P>
concept SpinStrategy =
    WaitStrategy<W, P> && !W::kParks &&
    requires(const W& strategy, typename P::template Atomic<std::uint32_t>& word) {
  /// Returns once the word has been seen different from `value` (relaxed: the caller synchronises
  /// by its own access).
  { strategy.wait_while(word, 0U) }
  noexcept;
};

/// Waits for another thread that is between two instructions of its own: with pauses, and as it can
/// only take long if that thread has lost its processor, soon by giving way to it.
template <class P, class Condition>
void wait_briefly_until(Condition condition) noexcept {
  constexpr int kPauses = 64;
  for (int pauses = 0; !condition(); ++pauses) {
    if (pauses < kPauses) {
      P::pause();
    } else {
      P::yield();
    }
  }
}

/// Busy waiting. Fastest while every thread has a processor, ruinous as soon as the one being
/// waited for does not.
template <Platform P>
class Spin {
 public:
  static constexpr bool kParks = false;
  static constexpr bool kTakesSpin = false;
  static constexpr std::uint32_t kDefaultSpin = 0;
  explicit Spin(const LockConfig&) {}

  void wait_while(typename P::template Atomic<std::uint32_t>& word,
                  std::uint32_t value) const noexcept {
    while (word.load(std::memory_order_relaxed) == value) P::pause();
  }
  void await(typename P::template Atomic<std::uint32_t>& word) const noexcept {
    while (word.load(std::memory_order_acquire) != kSignalled) P::pause();
  }
  void signal(typename P::template Atomic<std::uint32_t>* word) const noexcept {
    word->store(kSignalled, std::memory_order_release);
  }
};

/// Busy waiting for a bounded number of pauses (LockConfig::spin), then giving way to the scheduler
/// after each further look.
template <Platform P>
class SpinYield {
 public:
  static constexpr bool kParks = false;
  static constexpr bool kTakesSpin = true;
  static constexpr std::uint32_t kDefaultSpin = 100;
  explicit SpinYield(const LockConfig& config) : spin_(config.spin.value_or(kDefaultSpin)) {}

  void wait_while(typename P::template Atomic<std::uint32_t>& word,
                  std::uint32_t value) const noexcept {
    for (std::uint32_t spins = 0; word.load(std::memory_order_relaxed) == value;) relax(spins);
  }
  void await(typename P::template Atomic<std::uint32_t>& word) const noexcept {
    for (std::uint32_t spins = 0; word.load(std::memory_order_acquire) != kSignalled;) relax(spins);
  }
  void signal(typename P::template Atomic<std::uint32_t>* word) const noexcept {
    word->store(kSignalled, std::memory_order_release);
  }

 private:
  void relax(std::uint32_t& spins) const noexcept {
    if (spins < spin_) {
      ++spins;
      P::pause();
    } else {
      P::yield();
    }
  }
  std::uint32_t spin_;
};

/// Busy waiting for a bounded number of pauses, then sleeping. The waiter says in the word that it
/// is about to sleep, so that only a real sleeper costs the other side a system call; LiTL's
/// spin-then-park calls FUTEX_WAKE each time. Waits on words of one process only.
template <Platform P, std::uint32_t kSpin>
class Parking {
 public:
  static constexpr bool kParks = true;
  static constexpr bool kTakesSpin = kSpin != 0;
  static constexpr std::uint32_t kDefaultSpin = kSpin;
  explicit Parking(const LockConfig& config)
      : spin_(kTakesSpin ? config.spin.value_or(kDefaultSpin) : 0) {}

  void await(typename P::template Atomic<std::uint32_t>& word) const noexcept {
    for (std::uint32_t spins = 0; spins < spin_; ++spins) {
      if (word.load(std::memory_order_acquire) == kSignalled) return;
      P::pause();
    }
    std::uint32_t seen = kAwaiting;
    // Acquire for the failure, which finds the word signalled; success says something and takes
    // nothing, but g++ wants its order to be no weaker.
    if (!word.compare_exchange_strong(seen, kAsleep, std::memory_order_acquire,
                                      std::memory_order_acquire)) {
      return;
    }
    do {
      P::futex_wait(word, kAsleep, FutexScope::kPrivate);
    } while (word.load(std::memory_order_acquire) != kSignalled);
  }
  void signal(typename P::template Atomic<std::uint32_t>* word) const noexcept {
    if (word->exchange(kSignalled, std::memory_order_release) == kAsleep) {
      P::futex_wake(word, 1, FutexScope::kPrivate);
    }
  }

 private:
  std::uint32_t spin_;
};

/// Sleeps at once.
template <Platform P>
using Park = Parking<P, 0>;

/// Spins as long as LiTL does (Guiroux, Lachaize, Quema, "Multicore Locks: The Case Is Not Closed
/// Yet", USENIX ATC 2016), which is what a context switch took on its authors' machine.
template <Platform P>
using SpinThenPark = Parking<P, 2700>;

}  // namespace futex_bench
