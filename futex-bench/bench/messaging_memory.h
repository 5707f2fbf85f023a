// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What the pairs of a messaging trial write and the parent reads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "common/locks/platform.h"
#include "common/stats/histogram.h"
#include "common/system/clock.h"

namespace futex_bench {

/// Of one pair; 16 KiB, however many messages. The memory of a trial begins with a MessagingHead, then
/// one of these per pair, then the channels.
struct alignas(kCacheLine) PairSlot {
  Histogram times;                        ///< of each message, in ns
  std::atomic<std::uint64_t> done{0};     ///< messages
  std::atomic<std::int64_t> start_ns{0};  ///< before the first message; 0 if it has not begun
  std::atomic<std::int64_t> end_ns{0};    ///< after the last one; 0 if it has not ended
  std::array<CpuTimes, 2> cpu{};          ///< of client and server in their loops
};

struct alignas(kCacheLine) MessagingHead {
  std::int64_t gate_ns = 0;    ///< when the gate opened
  std::uint64_t messages = 0;  ///< that each pair exchanges in this trial
  std::int64_t cut_ns = 0;     ///< when the trial was ended from outside; 0 if it was not
};

}  // namespace futex_bench
