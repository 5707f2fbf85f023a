// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What the processor and the scheduler count for this process (perf_event_open(2)). Each counter
/// gives a value, or there is a reason why it does not.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace futex_bench {

/// The counters, in the order of all arrays here.
inline constexpr std::size_t kPerfEvents = 5;
inline constexpr std::array<std::string_view, kPerfEvents> kPerfEventNames = {
    "cycles", "instructions", "cache_misses", "context_switches", "migrations"};

/// What became of opening one counter.
struct PerfStatus {
  bool available = false;
  bool user_only = false;  ///< the kernel's part may not be counted; never for the scheduler's
  std::string reason;      ///< why not available, or why user_only: "ENOENT: ..."; else empty
};

/// One reading of one counter. The times are in nanoseconds, summed over the threads; the counter
/// was really counting for `running` of the `enabled` ones if it had to share the hardware.
struct PerfSample {
  std::uint64_t count = 0;
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
};
using PerfSamples = std::array<PerfSample, kPerfEvents>;

/// What was counted between two readings, scaled up to the time enabled; NaN if the counter never
/// ran in between, although it was enabled.
double perf_difference(const PerfSample& before, const PerfSample& after);

/// The share of the time enabled for which the counter ran: 1 if it had the hardware for itself.
/// NaN if it was not enabled.
double perf_running_share(const PerfSample& before, const PerfSample& after);

/// Opens a counter: a file descriptor, or -1 and errno.
using PerfOpen = std::function<int(perf_event_attr& attributes)>;

/// perf_event_open for the calling thread on any processor, and for all threads it makes later.
int open_perf_event(perf_event_attr& attributes);

/// The counters of the calling thread and of every thread made by it later (inherit): one
/// descriptor each, whatever the number of threads. They count from the constructor on.
class PerfCounters {
 public:
  /// Never throws for a counter that cannot be had. A counter that may not see the kernel is opened
  /// for user space only, if it is one of the processor's. The scheduler's are not: with the kernel
  /// left out they open but stay at 0, since their events happen in the kernel (Linux 2.6.34 on).
  explicit PerfCounters(const PerfOpen& open = open_perf_event);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  const std::array<PerfStatus, kPerfEvents>& status() const { return status_; }

  /// Reads all counters; the samples of one that is not available stay zero. Throws
  /// std::system_error.
  PerfSamples read() const;

 private:
  std::array<PerfStatus, kPerfEvents> status_;
  std::array<int, kPerfEvents> files_;
};

}  // namespace futex_bench
