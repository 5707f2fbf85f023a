// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/system/error.h"
#include "futex-bench/bench/probe_fairness.h"
#include "futex-bench/bench/probe_latency.h"
#include "futex-bench/bench/probe_perf.h"
#include "futex-bench/bench/probe_syscalls.h"

namespace futex_bench {
namespace {

/// THE list of probes, sorted by name.
struct ProbeRow {
  std::string_view name;
  bool ProbeSet::*member;
  bool changes_loop;  ///< no two of these go together
  std::span<const Metric> (*metrics)();
};

constexpr auto kProbes = std::to_array<ProbeRow>({
    {"fairness", &ProbeSet::fairness, true, fairness_metrics},
    {"latency", &ProbeSet::latency, true, latency_metrics},
    {"perf", &ProbeSet::perf, false, perf_metrics},
    {"syscalls", &ProbeSet::syscalls, true, syscall_metrics},
});

}  // namespace

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (const ProbeRow& row : kProbes) names.emplace_back(row.name);
  return names;
}

ProbeSet probe_set(const std::vector<std::string>& names) {
  ProbeSet probes;
  std::string_view changes_loop;
  for (const ProbeRow& row : kProbes) {
    if (std::ranges::find(names, row.name) == names.end()) continue;
    if (row.changes_loop && !changes_loop.empty()) {
      throw UsageError(
          fmt::format("--probe: {} and {} would disturb each other: each changes the measured "
                      "loop; run one after the other",
                      changes_loop, row.name));
    }
    if (row.changes_loop) changes_loop = row.name;
    probes.*row.member = true;
  }
  return probes;
}

std::string to_string(const ProbeSet& probes) {
  std::vector<std::string_view> names;
  for (const ProbeRow& row : kProbes) {
    if (probes.*row.member) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

std::vector<Metric> probe_metrics(const ProbeSet& probes) {
  std::vector<Metric> metrics;
  for (const ProbeRow& row : kProbes) {
    if (!(probes.*row.member)) continue;
    const std::span<const Metric> own = row.metrics();
    metrics.insert(metrics.end(), own.begin(), own.end());
  }
  return metrics;
}

}  // namespace futex_bench
