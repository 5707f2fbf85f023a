// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `futex-bench wake-latency`: how long until a blocked thread or process runs after it is notified.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/system/topology.h"
#include "futex-bench/bench/benchmark.h"
#include "futex-bench/bench/wake_latency_trial.h"
#include "futex-bench/bench/wake_pair.h"

namespace futex_bench {

/// What the user can set. Defaults as in the help.
struct WakeLatencyOptions {
  std::vector<std::string> methods = {"futex"};
  std::string between = "processes";
  std::vector<SleepTime> sleep_us = {{1}, {10}, {100}, {1000}, {10'000}};
  std::string gap = "sleep";
  std::optional<std::uint64_t> samples;
  std::optional<std::uint64_t> warmup_samples;
  std::vector<std::uint64_t> cpus;
  std::string pair;
  SchedulingPolicy sched;
  bool log = false;
};

/// See the head of this file.
class WakeLatencyBenchmark : public Benchmark {
 public:
  std::vector<Option> options() override;
  std::span<const Metric> metrics() const override;
  std::vector<std::string> examples() const override;
  std::vector<std::string> notes() const override;
  bool runs_to_a_count() const override { return true; }
  std::string longer_trials() const override { return "more --samples"; }
  std::string fixed_placement() const override { return "--cpus or --pair"; }
  /// The fewest for which order statistics give a 95 % interval of the median.
  std::optional<unsigned> default_repeat() const override { return 6; }
  std::vector<std::unique_ptr<Point>> points() const override;

 private:
  /// Empty if the scheduler may choose. Throws UsageError.
  std::vector<CpuPair> pairs(const Topology& topology) const;
  /// What tells the point from others with the same method. `place` may be null.
  std::vector<std::pair<std::string, std::string>> parameters(const WakeLatencyTrial& trial,
                                                              const CpuPair* place) const;

  WakeLatencyOptions options_;
};

}  // namespace futex_bench
