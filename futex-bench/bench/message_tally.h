// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// When those who exchanged messages began and ended, and what processor time they took.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/system/clock.h"

namespace futex_bench {

/// Collects the stamps (CLOCK_MONOTONIC, ns) of runs that began at one gate.
class MessageTally {
 public:
  explicit MessageTally(std::int64_t gate_ns) : gate_ns_(gate_ns) {}

  void add_run(std::int64_t start_ns, std::int64_t end_ns) {
    seconds_.push_back(static_cast<double>(end_ns - gate_ns_) / 1e9);
    // At one and the same time an end counts before a start.
    changes_.emplace_back(start_ns, 1);
    changes_.emplace_back(end_ns, -1);
  }
  void add_cpu(const CpuTimes& more) { cpu_ = cpu_ + more; }

  /// From the gate to the end of each run, in the order in which they were added.
  std::span<const double> run_seconds() const { return seconds_; }
  double first_seconds() const { return *std::ranges::min_element(seconds_); }
  double last_seconds() const { return *std::ranges::max_element(seconds_); }
  const CpuTimes& cpu() const { return cpu_; }

  /// The most runs that were between start and end at one time.
  std::size_t most_at_once() const {
    std::vector<std::pair<std::int64_t, int>> changes = changes_;
    std::ranges::sort(changes);
    int now = 0;
    int most = 0;
    for (const auto& [ns, change] : changes) {
      now += change;
      most = std::max(most, now);
    }
    return static_cast<std::size_t>(most);
  }

 private:
  std::int64_t gate_ns_;
  std::vector<double> seconds_;
  std::vector<std::pair<std::int64_t, int>> changes_;
  CpuTimes cpu_;
};

}  // namespace futex_bench
