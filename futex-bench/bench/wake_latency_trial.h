// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One trial of `wake-latency`: the child's side that measures, and the parent's that reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/stats/distribution.h"
#include "common/stats/metric.h"
#include "futex-bench/bench/option.h"
#include "futex-bench/bench/team.h"
#include "futex-bench/bench/wake_methods.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

/// Everything a trial needs to know.
struct WakeLatencyTrial {
  const WakeMethodEntry* method = nullptr;
  SleepTime gap{};               ///< how long the notifier lets the waiter sleep
  bool spin = false;             ///< the notifier runs meanwhile instead of sleeping
  std::uint64_t samples = 1000;  ///< of all trials of the point
  std::uint64_t warmup = 100;    ///< before them and discarded, of all trials too
  TeamPlan team{};               ///< of two: the notifier and the waiter
  bool tsc = false;              ///< stamp by the TSC
  bool log = false;              ///< keep every sample
};

/// One wake, in ticks of the trial's clock.
struct WakeSample {
  std::uint64_t notified;     ///< immediately before the call
  std::uint64_t woken;        ///< first thing after the waiter's call returned
  std::uint64_t gap;          ///< from when the waiter was about to sleep until it was notified
  std::int32_t notifier_cpu;  ///< just before the call
  std::int32_t waiter_cpu;    ///< just after waking
  std::uint32_t switches;     ///< times the waiter gave its processor up in this wait (ru_nvcsw)
  std::uint32_t seen_asleep;  ///< 1 if all that should sleep were seen asleep before the stamp
};

/// Whether the waiter, and the helper if there is one, really slept. What never sleeps counts as
/// blocked: it waited.
inline bool was_blocked(const WakeMethodEntry& method, const WakeSample& sample) {
  return !method.sleeps || (sample.switches > 0 && sample.seen_asleep != 0);
}

/// The metrics of a trial, in the order of its values.
std::span<const Metric> wake_latency_metrics();

/// Names of distributions. All are of blocked samples but the last of these.
inline constexpr const char* kWakeLatencyUs = "latency_us";
inline constexpr const char* kWakeGapUs = "gap_us";
inline constexpr const char* kWakeSameCpuUs = "latency_same_cpu_us";
inline constexpr const char* kWakeTwoCpusUs = "latency_two_cpus_us";
inline constexpr const char* kWakeNotBlockedUs = "latency_not_blocked_us";

/// The part of `total` that trial `round` of `rounds` has to do; parts differ by at most one.
std::uint64_t wake_share(std::uint64_t total, unsigned round, unsigned rounds);

/// Bytes of the memory that child and parent share.
std::size_t wake_latency_bytes(const WakeLatencyTrial& trial);

/// Measures. Runs in the child; everything it makes is gone or goes with the process. Throws what
/// run_team() throws, and what making the method throws.
void run_wake_latency(const WakeLatencyTrial& trial, const TrialRequest& request,
                      TrialControl& control, void* memory);

/// Wakes so far. Runs in the parent, at any time.
std::uint64_t wake_latency_progress(const void* memory);

/// "after 12 of 167 samples, min 5.1 median 6.4 max 117 us"; empty before the first. Runs in the
/// parent, at any time.
std::string wake_latency_how_far(const WakeLatencyTrial& trial, const void* memory);

/// Makes the samples that there are all there are; false if there is none. Runs in the parent after the
/// trial was ended.
bool cut_short_wake_latency(const WakeLatencyTrial& trial, void* memory);

/// One value per metric. Runs in the parent.
std::vector<double> wake_latency_values(const WakeLatencyTrial& trial, const void* memory);

/// How the samples are spread; both ends on one processor and on two apart where both occurred.
std::vector<std::pair<std::string, Distribution>> wake_latency_distributions(
    const WakeLatencyTrial& trial, const void* memory);

/// Every sample in time order, if the trial keeps a log.
std::vector<std::pair<std::string, std::vector<double>>> wake_latency_series(
    const WakeLatencyTrial& trial, const void* memory);

/// What values, distributions and series are made of: samples and the length of a tick.
struct WakeSamples {
  const WakeMethodEntry* method;
  std::span<const WakeSample> samples;
  double ns_per_tick;
  double stamp_cost_ns;
  double clock_offset_ns;  ///< NaN if not known
};

/// One value per metric.
std::vector<double> wake_values(const WakeSamples& all);

/// By the names above, in microseconds.
std::vector<std::pair<std::string, Distribution>> wake_distributions(const WakeSamples& all);

}  // namespace futex_bench
