// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// `futex-bench lock`: how many times per second threads take and leave one lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "futex-bench/bench/benchmark.h"
#include "futex-bench/bench/lock_table.h"

namespace futex_bench {

/// What the user can set. Defaults as in the help.
struct LockOptions {
  std::vector<unsigned> threads = {1,  2,  3,  4,  5,   6,   8,   10,  12,
                                   16, 24, 32, 64, 128, 256, 512, 1024};
  std::vector<std::string> modes = {"wait"};
  std::optional<std::uint64_t> iterations;
  std::vector<double> hold_ns = {0};
  std::vector<double> gap_ns = {0};
  bool shared = false;
  std::optional<std::uint64_t> spin;
  PlacementSpec placement;
  std::optional<std::uint64_t> lock_node;
  bool verify = false;
  std::vector<std::string> probes;
  std::optional<std::uint64_t> sample;
};

/// See the head of this file.
class LockBenchmark : public Benchmark {
 public:
  std::vector<Option> options() override;
  std::span<const Metric> metrics() const override;
  std::vector<std::string> examples() const override;
  std::vector<std::string> notes() const override;
  bool runs_to_a_count() const override { return options_.iterations.has_value(); }
  std::string longer_trials() const override {
    return runs_to_a_count() ? "more --iterations" : "--runtime 2";
  }
  std::vector<std::unique_ptr<Point>> points() const override;

 private:
  void check_mode(const LockEntry& lock) const;
  void check_probes() const;
  std::vector<std::pair<std::string, std::string>> parameters(double hold_ns, double gap_ns) const;

  LockOptions options_;
};

}  // namespace futex_bench
