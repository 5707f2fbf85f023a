// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One trial of hackbench's form: groups in which each sender writes to each receiver.
///
/// As in hackbench (rt-tests) and `perf bench sched messaging`: a group has F senders and F receivers,
/// each receiver has one pipe or pair of sockets, and each sender writes N times one message to each
/// of the F, in turn. Nobody answers. Measured is the time until all receivers have everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/stats/metric.h"
#include "futex-bench/bench/team.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

/// What one trial has to do.
struct GroupsTrial {
  enum class Over : std::uint8_t { kPipe, kSocketPair };

  Over over = Over::kSocketPair;
  unsigned groups;
  unsigned fds;            ///< senders, and receivers, of a group
  std::uint64_t messages;  ///< from each sender to each receiver of its group
  std::size_t size;        ///< bytes of a message
  TeamPlan team;           ///< of each group the senders, then the receivers
};

/// "pipe", "socketpair".
std::string_view to_string(GroupsTrial::Over over);

/// The metrics of a trial, in the order of its values.
std::span<const Metric> groups_metrics();

/// Descriptors that a trial opens.
std::uint64_t groups_descriptors(const GroupsTrial& trial);

/// Bytes that the functions below share.
std::size_t groups_trial_bytes(const GroupsTrial& trial);

/// A verified trial (the warm-up) sends fewer messages. Throws what run_team() throws.
void run_groups_trial(const GroupsTrial& trial, const TrialRequest& request, TrialControl& control,
                      void* memory);

/// Messages received so far.
std::uint64_t groups_progress(const GroupsTrial& trial, const void* memory);

/// "after 1200 of 200000 messages"; empty if there were none.
std::string groups_how_far(const GroupsTrial& trial, const void* memory);

/// One value per metric.
std::vector<double> groups_values(const GroupsTrial& trial, const void* memory);

}  // namespace futex_bench
