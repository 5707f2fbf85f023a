// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// How far the clocks of two processors may be apart. Source: Cristian, "Probabilistic clock
/// synchronization", Distributed Computing 3, 1989: who asks for the time and gets it back knows it
/// within half of what that took, and better the quicker it went.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/system/tsc.h"

namespace futex_bench {

/// One question and its answer, in ticks.
struct ClockExchange {
  std::uint64_t asked;     ///< here, before the question
  std::uint64_t there;     ///< by the other clock
  std::uint64_t answered;  ///< here, after the answer
};

/// The other clock minus the one here, within +-error, in ticks.
struct ClockOffset {
  double ticks;
  double error;
};

/// What the quickest exchange says; nothing without any.
std::optional<ClockOffset> clock_offset(std::span<const ClockExchange> exchanges);

/// Lets a thread on processor `here` ask one on processor `there`, some hundred times or for 20 ms,
/// whichever is less. Empty if the threads cannot be made or one of the processors is taken.
std::vector<ClockExchange> exchange_stamps(const StampClock& clock, int here, int there);

}  // namespace futex_bench
