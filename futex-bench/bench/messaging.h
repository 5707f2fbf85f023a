// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `futex-bench messaging`: many pairs that exchange messages, to catch regressions of schedulers, and
/// hackbench's form of the same.
///
/// Follows the test of Launchpad bug 595047 (kernel bug 12309): 100, 50 and 20 pairs of processes over
/// pipes, then of threads over mutex and condition variable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/system/schedule.h"
#include "futex-bench/bench/benchmark.h"
#include "futex-bench/bench/messaging_groups.h"
#include "futex-bench/bench/messaging_trial.h"

namespace futex_bench {

/// What the user can set. An empty list or value means that it was not given.
struct MessagingOptions {
  std::vector<std::uint64_t> pairs;
  std::vector<std::uint64_t> messages;
  bool full = false;
  std::vector<std::string> over;
  std::string between;
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> groups;
  std::optional<std::uint64_t> fds;
  SchedulingPolicy sched;
  PlacementSpec placement;
};

/// See the head of this file.
class MessagingBenchmark : public Benchmark {
 public:
  std::vector<Option> options() override;
  std::span<const Metric> metrics() const override;
  std::vector<std::string> examples() const override;
  std::vector<std::string> notes() const override;
  bool runs_to_a_count() const override { return true; }
  std::string longer_trials() const override { return "more --messages"; }
  std::optional<unsigned> default_repeat() const override { return 1; }
  std::vector<std::unique_ptr<Point>> points() const override;

 private:
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  struct Load {
    std::uint64_t pairs;
    std::uint64_t messages;
    bool operator==(const Load&) const = default;
  };

  std::vector<Load> loads() const;
  std::vector<std::string> transports_or(const std::vector<std::string>& otherwise) const;
  Between between_or(Between natural) const;
  void add_common(Parameters& parameters, std::size_t default_size) const;
  std::vector<MessagingTrial> pair_trials() const;
  std::vector<GroupsTrial> group_trials() const;
  /// The most that one trial opens, some to spare included.
  std::uint64_t descriptors() const;

  MessagingOptions options_;
};

}  // namespace futex_bench
