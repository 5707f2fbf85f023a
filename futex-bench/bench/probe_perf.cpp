// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe_perf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace futex_bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const auto kMetrics = std::to_array<Metric>({
    {"cycles", "/iter", Direction::kLowerIsBetter,
     "Processor cycles of all threads per iteration (perf_event_open)."},
    {"instructions", "/iter", Direction::kNeutral, "Instructions per iteration, likewise."},
    {"cache_misses", "/iter", Direction::kLowerIsBetter,
     "Misses of the last-level cache per iteration, likewise."},
    {"context_switches", "/kiter", Direction::kLowerIsBetter,
     "Context switches per 1000 iterations, likewise."},
    {"migrations", "/kiter", Direction::kLowerIsBetter,
     "Moves of a thread to another processor per 1000 iterations, likewise."},
    {"perf_running", "1", Direction::kNeutral,
     "Share of the interval for which the processor's counters ran, the smallest; below 1 they "
     "shared the hardware and the values are scaled up."},
});

constexpr std::array<double, kPerfEvents> kPer = {1, 1, 1, 1000, 1000};

/// The first ones are the processor's; those of the scheduler always run.
constexpr std::size_t kHardwareEvents = 3;

}  // namespace

std::span<const Metric> perf_metrics() { return kMetrics; }

std::vector<double> perf_values(const PerfInterval& interval, std::uint64_t iterations) {
  std::vector<double> values(kMetrics.size(), kNone);
  double least_running = kNone;
  for (std::size_t i = 0; i < kPerfEvents; ++i) {
    if (!interval.available[i] || iterations == 0) continue;
    values[i] = perf_difference(interval.before[i], interval.after[i]) * kPer[i] /
                static_cast<double>(iterations);
    if (i >= kHardwareEvents) continue;
    // fmin leaves NaN out.
    least_running =
        std::fmin(least_running, perf_running_share(interval.before[i], interval.after[i]));
  }
  values.back() = least_running;
  return values;
}

std::vector<std::string> perf_notes(const PerfCounters& counters) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < kPerfEvents; ++i) {
    const PerfStatus& status = counters.status()[i];
    if (status.available && !status.user_only) continue;
    notes.push_back(fmt::format("--probe perf: {} {}: {}", kPerfEventNames[i],
                                status.available ? "counts user space only" : "unavailable",
                                status.reason));
    const bool has_other_source = kPerfEventNames[i] == "context_switches";
    if (has_other_source) {
      notes.back() += "; voluntary_switches and involuntary_switches have those of getrusage";
    }
  }
  return notes;
}

bool perf_user_only(const PerfCounters& counters) {
  return std::ranges::any_of(counters.status(), &PerfStatus::user_only);
}

}  // namespace futex_bench
