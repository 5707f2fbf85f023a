// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The memory that both sides of a trial of `wake-latency` share with each other and the parent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "futex-bench/bench/wake_latency_trial.h"
#include "futex-bench/bench/wake_methods.h"

namespace futex_bench {

/// Followed by the samples, warm-up first. All zero at the start.
struct alignas(kCacheLine) WakeMemory {
  /// The number of the wake that the waiter is about to wait for: it has done with all before it.
  alignas(kCacheLine) std::atomic<std::uint64_t> armed;
  /// 1 when the notifier has begun: it holds the locks that the waiter is to wait for.
  alignas(kCacheLine) std::atomic<std::uint32_t> ready;
  alignas(kCacheLine) WakeParties parties;
  alignas(kCacheLine) std::byte words[kWakeWordsBytes];
  /// Written by the controller.
  alignas(kCacheLine) std::uint64_t warmup;
  std::uint64_t samples;
  std::uint64_t start_ticks;
  std::uint64_t end_ticks;
  std::int64_t start_ns;
  std::int64_t end_ns;
  double stamp_cost_ticks;
  double clock_offset_ticks;  ///< NaN where there is none

  WakeSample* all() { return reinterpret_cast<WakeSample*>(this + 1); }
  const WakeSample* all() const { return reinterpret_cast<const WakeSample*>(this + 1); }
};

}  // namespace futex_bench
