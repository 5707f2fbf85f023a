// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a lock is.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/futex/capability.h"
#include "common/futex/futex.h"

namespace futex_bench {

/// What a lock is built with. A lock ignores what its LockTraits do not claim.
struct LockConfig {
  /// Private futexes for threads of one process, shared ones otherwise.
  FutexScope scope = FutexScope::kPrivate;
  /// Bound of spinning in pauses before the lock does something else; none is the lock's default.
  std::optional<std::uint32_t> spin;
};

/// Who gets a contended lock next.
enum class Fairness : std::uint8_t {
  kNone,      ///< whoever is fastest; a waiter can starve
  kBarging,   ///< sleepers are woken in order, but a running thread may overtake them
  kEventual,  ///< barging, with a bound on how long a waiter can be overtaken
  kFifo,      ///< strictly in order of arrival
};

/// Facts about a lock that the tool shows or checks.
struct LockTraits {
  Fairness fairness = Fairness::kNone;
  bool spins = false;  ///< a waiter burns processor time for a while
  bool parks = false;  ///< a waiter can sleep in the kernel
  /// What the kernel must have; nothing for a lock that never sleeps in it.
  std::optional<FutexOperation> needs = std::nullopt;
  bool takes_spin = false;   ///< obeys LockConfig::spin
  bool takes_shared = true;  ///< obeys LockConfig::scope
  bool excludes = true;      ///< really is a lock; only the empty one for harness cost is not
  bool counts_slow = true;   ///< calls Platform::note_slow_path
  bool needs_node = false;   ///< each thread brings a queue node (its Context)
  /// Bytes of what the threads contend for: the lock word, or the words of a lock with several.
  std::uint32_t word_bytes = 4;
  std::uint32_t default_spin = 0;  ///< LockConfig::spin where none is given, if takes_spin
  /// The other constants in force, in words; empty if there are none.
  std::string_view parameters = "";
  /// Why this lock is not part of the program, with what to do about it; empty if it is.
  std::string_view not_built_in = "";
};

/// For locks without a per-thread queue node.
struct NoContext {};

/// A mutual exclusion lock. Context is the per-thread state (a queue node); each thread owns one
/// for each lock it uses and hands it to both calls. Both are noexcept: a lock that finds the
/// kernel misbehaving ends the process (futex_panic).
template <class L>
concept Lock = std::constructible_from<L, const LockConfig&> &&
    std::default_initializable<typename L::Context> &&
    requires(L& lock, typename L::Context& context) {
  { L::kName } -> std::convertible_to<std::string_view>;     // the word after --mode
  { L::kSummary } -> std::convertible_to<std::string_view>;  // one line, no full stop
  { L::kSource } -> std::convertible_to<std::string_view>;   // paper, library or kernel file
  { L::kTraits } -> std::convertible_to<LockTraits>;
  { lock.lock(context) }
  noexcept;
  { lock.unlock(context) }
  noexcept;
};

/// A list of lock types.
template <class... Ls>
struct LockList {};

}  // namespace futex_bench
