// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A point whose trial is whatever a test wants.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "futex-bench/bench/benchmark.h"

namespace futex_bench {

/// Its one metric is the number that the trial leaves in the shared memory.
class FakePoint : public Point {
 public:
  using Body = std::function<void(TrialControl&, std::atomic<int>&)>;

  FakePoint(Body body, std::optional<double> seconds, std::string missing = "",
            PointKey key = {.benchmark = "fake", .mode = "mode", .threads = 0, .parameters = {}})
      : key_(std::move(key)),
        body_(std::move(body)),
        seconds_(seconds),
        missing_(std::move(missing)) {}

  const PointKey& key() const override { return key_; }
  std::string title() const override { return "fake"; }
  std::optional<std::string> unavailable() const override {
    return missing_.empty() ? std::nullopt : std::optional(missing_);
  }
  std::optional<double> expected_seconds(const TrialRequest&) const override { return seconds_; }
  std::uint64_t progress(const void*) const override { return 0; }
  bool read_in_place_of_child(void*) const override { return true; }
  std::size_t memory_bytes() const override { return bytes_; }
  /// More than the machine has makes the trial fail before it starts.
  void ask_for_bytes(std::size_t bytes) { bytes_ = bytes; }
  void run(const TrialRequest&, TrialControl& control, void* memory) const override {
    body_(control, *static_cast<std::atomic<int>*>(memory));
  }
  /// A negative number stands for a broken lock.
  std::optional<std::string> violation(const void* memory) const override {
    if (collect(memory).front() >= 0) return std::nullopt;
    return "two inside";
  }
  std::vector<double> collect(const void* memory) const override {
    return {static_cast<double>(static_cast<const std::atomic<int>*>(memory)->load())};
  }

  /// What it had counted when a signal came is a value.
  void let_be_cut_short() { can_be_cut_short_ = true; }
  bool cut_short(const TrialControl& control, void*) const override {
    return can_be_cut_short_ && control.gate_ns.load() != 0;
  }

  void tell_how_far() { tells_how_far_ = true; }
  std::string how_far(const void* memory) const override {
    if (!tells_how_far_) return "";
    return "after " + std::to_string(static_cast<int>(collect(memory).front()));
  }
  std::vector<std::pair<std::string, std::vector<double>>> series(
      const void* memory) const override {
    return {{"count", collect(memory)}};
  }
  std::vector<std::pair<std::string, Distribution>> distributions(
      const void* memory) const override {
    Distribution one;
    one.count = 1;
    one.mean = one.min = one.max = collect(memory).front();
    one.buckets = {{one.min, one.max, 1}};
    return {{"count", one}};
  }

 private:
  PointKey key_;
  Body body_;
  std::optional<double> seconds_;
  std::string missing_;
  bool tells_how_far_ = false;
  bool can_be_cut_short_ = false;
  std::size_t bytes_ = sizeof(std::atomic<int>);
};

}  // namespace futex_bench
