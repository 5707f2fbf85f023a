// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Time: monotonic for everything that is measured, the wall clock only for labels, and the
/// processor time of this process.
#pragma once

#include <time.h>

#include <cstdint>
#include <string>

namespace futex_bench {

/// CLOCK_MONOTONIC in nanoseconds. Reads the vDSO; cannot fail on Linux.
inline std::int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// The local wall clock as "2024-05-01T12:34:56+02:00" (ISO 8601 with offset, whole seconds).
std::string wall_clock_iso8601();

/// What one call of now_ns() costs here, in nanoseconds: the cheapest of several batches, since
/// whatever disturbs a batch only adds to it. Takes about a millisecond.
double clock_cost_ns();

/// Sleeps until now_ns() has reached `deadline_ns`. A signal does not shorten the sleep; a deadline
/// in the past returns at once. Throws std::system_error.
void sleep_until_ns(std::int64_t deadline_ns);

/// Processor time and context switches (getrusage(2)).
struct CpuTimes {
  double user_seconds = 0;
  double system_seconds = 0;
  std::uint64_t voluntary_switches = 0;    ///< the thread went to sleep
  std::uint64_t involuntary_switches = 0;  ///< the scheduler took the processor away
};

inline CpuTimes operator+(const CpuTimes& a, const CpuTimes& b) {
  return {a.user_seconds + b.user_seconds, a.system_seconds + b.system_seconds,
          a.voluntary_switches + b.voluntary_switches,
          a.involuntary_switches + b.involuntary_switches};
}

/// What was used between two looks, the earlier one on the right.
inline CpuTimes operator-(const CpuTimes& a, const CpuTimes& b) {
  return {a.user_seconds - b.user_seconds, a.system_seconds - b.system_seconds,
          a.voluntary_switches - b.voluntary_switches,
          a.involuntary_switches - b.involuntary_switches};
}

/// Sums over all threads of this process since its start, ended ones included. Throws
/// std::system_error.
CpuTimes process_cpu_times();

/// Of the calling thread alone. Throws std::system_error.
CpuTimes thread_cpu_times();

}  // namespace futex_bench
