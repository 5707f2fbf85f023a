// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `--probe perf`: what the processor and the scheduler count, per iteration.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/stats/metric.h"
#include "common/system/perf_counters.h"

namespace futex_bench {

/// The readings at both ends of the measured interval, and which counters there were.
struct PerfInterval {
  std::array<bool, kPerfEvents> available;
  PerfSamples before;
  PerfSamples after;
};

std::span<const Metric> perf_metrics();

/// One value per metric; NaN for counters that are not available and if there was no iteration.
std::vector<double> perf_values(const PerfInterval& interval, std::uint64_t iterations);

/// One sentence for the user about each counter that is not available or counts user space only.
std::vector<std::string> perf_notes(const PerfCounters& counters);

/// Whether some counter sees user space only, so that its values are not to be compared with those
/// that see all.
bool perf_user_only(const PerfCounters& counters);

}  // namespace futex_bench
