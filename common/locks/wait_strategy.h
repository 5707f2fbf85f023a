// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// How a thread passes the time until a word changes. An algorithm that only needs "wait while the
/// word holds this value" takes a strategy as a template parameter and becomes one mode for each.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// A strategy. kSuffix goes behind the algorithm's name: "spin" + "-yield".
template <class W, class P>
concept WaitStrategy = Platform<P> && std::constructible_from<W, const LockConfig&> &&
    requires(const W& strategy, typename P::template Atomic<std::uint32_t>& word) {
  { W::kSuffix } -> std::convertible_to<std::string_view>;
  { W::kParks } -> std::convertible_to<bool>;
  { W::kTakesSpin } -> std::convertible_to<bool>;
  /// Returns once the word has been seen different from `value` (relaxed: the caller synchronises
  /// by its own access).
  { strategy.wait_while(word, 0U) }
  noexcept;
  /// To be called after the word was changed; the object at the address may be gone.
  { strategy.notify(&word) }
  noexcept;
};

/// Busy waiting. Fastest while every thread has a processor, ruinous as soon as the one being
/// waited for does not.
template <Platform P>
class Spin {
 public:
  static constexpr std::string_view kSuffix = "";
  static constexpr bool kParks = false;
  static constexpr bool kTakesSpin = false;
  explicit Spin(const LockConfig&) {}

  void wait_while(typename P::template Atomic<std::uint32_t>& word,
                  std::uint32_t value) const noexcept {
    while (word.load(std::memory_order_relaxed) == value) P::pause();
  }
  void notify(typename P::template Atomic<std::uint32_t>*) const noexcept {}
};

/// Busy waiting for a bounded number of pauses (LockConfig::spin, default 100), then giving way to
/// the scheduler after each further look.
template <Platform P>
class SpinYield {
 public:
  static constexpr std::string_view kSuffix = "-yield";
  static constexpr bool kParks = false;
  static constexpr bool kTakesSpin = true;
  static constexpr std::uint32_t kDefaultSpin = 100;
  explicit SpinYield(const LockConfig& config) : spin_(config.spin.value_or(kDefaultSpin)) {}

  void wait_while(typename P::template Atomic<std::uint32_t>& word,
                  std::uint32_t value) const noexcept {
    for (std::uint32_t spins = 0; word.load(std::memory_order_relaxed) == value;) {
      if (spins < spin_) {
        ++spins;
        P::pause();
      } else {
        P::yield();
      }
    }
  }
  void notify(typename P::template Atomic<std::uint32_t>*) const noexcept {}

 private:
  std::uint32_t spin_;
};

}  // namespace futex_bench
