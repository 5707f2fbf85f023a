// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// How far the explorer looks, and what it found. Whatever is bounded here is printed with every
/// pass, because a pass says nothing about what lies beyond.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace futex_bench::model {

/// Most threads of a program.
inline constexpr int kMaxThreads = 4;

/// Most entries of a store buffer.
inline constexpr std::uint32_t kMostBuffered = 16;

/// No bound.
inline constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

/// Limits of one exploration. All but the last two shape the set of schedules and are therefore
/// part of a replay string; the last two only end the search early.
struct Bounds {
  /// Switches away from a thread that could go on. A switch at a pause, a yield, a sleep, a
  /// linger() or the end of a thread is free.
  std::uint32_t preemptions = kUnbounded;
  /// Store buffers as on x86 (TSO); without, every schedule is sequentially consistent.
  bool tso = true;
  /// Stores of a run that another thread may look past while they are still in the buffer of their
  /// thread. Once a store has been looked past, further looks cost nothing.
  std::uint32_t late_stores = kUnbounded;
  /// Entries of a store buffer (1 to kMostBuffered); a store into a full one first pushes out the
  /// oldest.
  std::uint32_t buffer = 4;
  /// Surprises of a run: interrupted waits (EINTR), spurious wakes, spurious failures of a weak
  /// compare-exchange, random numbers that are all ones instead of 0, and jumps of the clock.
  std::uint32_t injections = 0;
  /// How often a spinner may spin on although nothing it has read has changed, until it has read
  /// or done something new: 16 pauses each time, or until it does anything but load. Needed for
  /// locks that stop spinning after a while. A loop that was seen to do nothing else for 16 pauses
  /// is not tried again in the same run: it only repeats itself.
  std::uint32_t spin_ons = 1;
  /// Operations of a run, beyond which it is reported as a livelock.
  std::uint32_t steps = 2000;
  /// Seconds after which the search ends unfinished.
  double seconds = 60;
  /// Schedules after which the search ends unfinished.
  std::uint64_t schedules = std::numeric_limits<std::uint64_t>::max();
};

/// In words, for people.
std::string describe(const Bounds& bounds);

/// How an exploration ended.
enum class Verdict : std::uint8_t {
  kExhausted,    ///< every schedule within the bounds was run and none failed
  kFailed,       ///< a schedule failed; the search stopped there
  kOutOfBudget,  ///< no failure so far, but seconds or schedules ran out
};

/// The result of an exploration or a replay.
struct Result {
  Verdict verdict = Verdict::kExhausted;
  Bounds bounds;
  std::uint64_t schedules = 0;  ///< run so far, the failing one included
  std::uint32_t longest = 0;    ///< operations of the longest run
  double seconds = 0;           ///< wall time of the search
  std::string failure;          ///< what went wrong, empty if nothing
  std::string replay;           ///< give this to replay() to see the failing schedule again
  std::string trace;            ///< the failing (or replayed) schedule, one step a line

  bool passed() const { return verdict == Verdict::kExhausted; }
  bool failed() const { return verdict == Verdict::kFailed; }
  /// One paragraph with the verdict, the bounds and, after a failure, replay string and trace.
  std::string summary() const;
};

}  // namespace futex_bench::model
