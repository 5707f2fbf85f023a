// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One trial of `futex-bench messaging`: pairs that exchange messages until each has had its number.
///
/// A message is a round trip: the client looks at the clock, sends, gets the echo of the server and
/// looks at the clock again. Every message has two stamps of its own, so nothing that happens between
/// two messages counts. Wall time per message and pair, on the other hand, is the time until the last
/// pair ends over the messages of one pair: what a pair that does not get a processor waits between two
/// messages is in there and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/stats/histogram.h"
#include "common/stats/metric.h"
#include "futex-bench/bench/message_channel.h"
#include "futex-bench/bench/team.h"
#include "futex-bench/run/trial.h"

namespace futex_bench {

/// What one trial has to do.
struct MessagingTrial {
  const Transport* transport;
  unsigned pairs;
  std::uint64_t messages;  ///< per pair
  std::size_t size;        ///< bytes of a message
  TeamPlan team;           ///< client and server of pair i are members 2 i and 2 i + 1
};

/// The metrics of a trial, in the order of its values.
std::span<const Metric> messaging_metrics();

/// Descriptors that a trial opens.
std::uint64_t messaging_descriptors(const MessagingTrial& trial);

/// Bytes that the functions below share.
std::size_t messaging_trial_bytes(const MessagingTrial& trial);

/// A verified trial (the warm-up) exchanges fewer messages. Throws what run_team() throws, and
/// std::runtime_error if an echo is not what was sent.
void run_messaging_trial(const MessagingTrial& trial, const TrialRequest& request,
                         TrialControl& control, void* memory);

/// Messages exchanged so far.
std::uint64_t messaging_progress(const MessagingTrial& trial, const void* memory);

/// "after 1200 of 200000 messages in 1.2 s, 3 of 100 pairs had finished"; empty if there were none.
std::string messaging_how_far(const MessagingTrial& trial, const void* memory);

/// Ends all pairs now that have not ended; false if none had a message. What needs the end of a pair
/// (durations, processor time) is then not available. Runs in the parent after the trial was ended.
bool cut_short_messaging(const MessagingTrial& trial, const TrialControl& control, void* memory);

/// One value per metric.
std::vector<double> messaging_values(const MessagingTrial& trial, const void* memory);

/// The times of all messages of all pairs, in ns.
Histogram messaging_times(const MessagingTrial& trial, const void* memory);

}  // namespace futex_bench
