// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Time stamps that are cheap enough to stand on both sides of a lock: the processor's time stamp
/// counter where the kernel itself keeps time by it, CLOCK_MONOTONIC elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "common/system/clock.h"

namespace futex_bench {

/// Whether the time stamp counter is a clock on this machine.
struct TscTrust {
  bool trusted;
  std::string reason;  ///< why not; empty if it is
};

/// It is one if the kernel uses it as its clock source, so has found it to agree between the
/// processors, and if it runs at one speed (constant_tsc), also in idle states (nonstop_tsc), and
/// can be read in order (rdtscp). Reads below `root` ("/" for this machine). Never trusted on
/// anything but x86-64.
TscTrust tsc_trust(const std::string& root);

/// Stamps in ticks of a clock. A tick of the TSC is what it is; its length comes from stamping
/// CLOCK_MONOTONIC as well, at both ends of a trial.
class StampClock {
 public:
  explicit StampClock(bool tsc) : tsc_(tsc) {}

  /// For the start of an interval: what stands after it in the program has not begun when it is
  /// taken. Source: Paoloni, "How to Benchmark Code Execution Times", Intel, 2010, with lfence in
  /// place of cpuid, which traps in virtual machines.
  std::uint64_t before() const noexcept {
#if defined(__x86_64__)
    if (tsc_) {
      __builtin_ia32_lfence();
      const std::uint64_t ticks = __builtin_ia32_rdtsc();
      __builtin_ia32_lfence();
      return ticks;
    }
#endif
    return static_cast<std::uint64_t>(now_ns());
  }

  /// For the end of an interval: what stands before it has been done, and what stands after it has
  /// not begun.
  std::uint64_t after() const noexcept {
#if defined(__x86_64__)
    if (tsc_) {
      unsigned processor = 0;
      const std::uint64_t ticks = __builtin_ia32_rdtscp(&processor);
      __builtin_ia32_lfence();
      return ticks;
    }
#endif
    return static_cast<std::uint64_t>(now_ns());
  }

 private:
  bool tsc_;
};

/// The length of a tick from two readings of both clocks: {ticks, ns} at the start and at the end.
/// NaN if no time has passed.
double ns_per_tick(std::uint64_t start_ticks, std::int64_t start_ns, std::uint64_t end_ticks,
                   std::int64_t end_ns);

}  // namespace futex_bench
