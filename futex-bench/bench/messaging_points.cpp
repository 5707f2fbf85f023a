// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/messaging_points.h"

#include <fmt/format.h>

#include <utility>

namespace futex_bench {
namespace {

class PairPoint : public Point {
 public:
  PairPoint(PointKey key, MessagingTrial trial) : key_(std::move(key)), trial_(std::move(trial)) {}

  const PointKey& key() const override { return key_; }
  std::string title() const override {
    return fmt::format("pairs of {} over {}", to_string(trial_.team.between), key_.mode);
  }
  std::optional<double> expected_seconds(const TrialRequest&) const override {
    return std::nullopt;
  }
  std::uint64_t progress(const void* memory) const override {
    return messaging_progress(trial_, memory);
  }
  std::size_t memory_bytes() const override { return messaging_trial_bytes(trial_); }
  void run(const TrialRequest& request, TrialControl& control, void* memory) const override {
    run_messaging_trial(trial_, request, control, memory);
  }
  std::string how_far(const void* memory) const override {
    return messaging_how_far(trial_, memory);
  }
  bool cut_short(const TrialControl& control, void* memory) const override {
    return cut_short_messaging(trial_, control, memory);
  }
  std::vector<double> collect(const void* memory) const override {
    return messaging_values(trial_, memory);
  }
  std::vector<std::pair<std::string, Distribution>> distributions(
      const void* memory) const override {
    return {{"message_us", distribution_of(messaging_times(trial_, memory), 1e-3)}};
  }

 private:
  PointKey key_;
  MessagingTrial trial_;
};

class GroupPoint : public Point {
 public:
  GroupPoint(PointKey key, GroupsTrial trial) : key_(std::move(key)), trial_(std::move(trial)) {}

  const PointKey& key() const override { return key_; }
  std::string title() const override {
    return fmt::format("groups of {} over {}", to_string(trial_.team.between), key_.mode);
  }
  std::optional<double> expected_seconds(const TrialRequest&) const override {
    return std::nullopt;
  }
  std::uint64_t progress(const void* memory) const override {
    return groups_progress(trial_, memory);
  }
  std::size_t memory_bytes() const override { return groups_trial_bytes(trial_); }
  void run(const TrialRequest& request, TrialControl& control, void* memory) const override {
    run_groups_trial(trial_, request, control, memory);
  }
  std::string how_far(const void* memory) const override { return groups_how_far(trial_, memory); }
  std::vector<double> collect(const void* memory) const override {
    return groups_values(trial_, memory);
  }

 private:
  PointKey key_;
  GroupsTrial trial_;
};

}  // namespace

std::unique_ptr<Point> make_pair_point(PointKey key, MessagingTrial trial) {
  return std::make_unique<PairPoint>(std::move(key), std::move(trial));
}

std::unique_ptr<Point> make_group_point(PointKey key, GroupsTrial trial) {
  return std::make_unique<GroupPoint>(std::move(key), std::move(trial));
}

}  // namespace futex_bench
