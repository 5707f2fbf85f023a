// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// THE list of ways by which one side wakes another: what the notifier calls, what the waiter
/// sleeps in. A new one is a class and a row in its file's table.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/locks/platform.h"
#include "futex-bench/bench/team.h"

namespace futex_bench {

/// Tasks, written by their owners before their first wait.
struct WakeParties {
  std::atomic<pid_t> waiter_process;
  std::atomic<pid_t> waiter;  ///< takes the stamp
  std::atomic<pid_t> helper;  ///< sleeps as well until it is woken, and wakes the waiter; 0 if none
};

/// Where a method works: memory that both sides see at one address.
struct WakeSite {
  Between between;
  std::uint64_t wakes;   ///< that there will be
  WakeParties* parties;  ///< in memory mapped shared
  void* words;           ///< kWakeWordsBytes, zeroed, mapped shared, aligned to kCacheLine
};

inline constexpr std::size_t kWakeWordsBytes = 4 * kCacheLine;

/// One way to wake. Made before the two sides exist, so that they inherit what it opens; each
/// process then has its own copy. Wakes are numbered from 1. An error that cannot happen ends the
/// process.
class WakeMethod {
 public:
  WakeMethod() = default;
  virtual ~WakeMethod() = default;
  WakeMethod(const WakeMethod&) = delete;
  WakeMethod& operator=(const WakeMethod&) = delete;

  /// In the side's own thread, before the first wake, and in the waiter's after the last. Those at
  /// the start may throw.
  virtual void waiter_begins() {}
  virtual void notifier_begins() {}
  virtual void waiter_ends() noexcept {}

  /// The notifier's: called after the waiter has taken wake n - 1 and before it is notified of n.
  virtual void prepare(std::uint64_t /*n*/) noexcept {}
  /// The call that is measured.
  virtual void notify(std::uint64_t n) noexcept = 0;
  /// Sleeps until notify(n), which cannot be lost if it comes first.
  virtual void wait(std::uint64_t n) noexcept = 0;
  /// The waiter's, after its stamp.
  virtual void taken(std::uint64_t /*n*/) noexcept {}
};

/// A row of the list.
struct WakeMethodEntry {
  std::string_view name;
  std::string_view summary;  ///< "sem_post to sem_wait"
  bool sleeps;               ///< false: the waiter never sleeps, so can never be found blocked
  /// Why this kernel cannot do it; empty if it can.
  std::string (*unavailable)();
  std::unique_ptr<WakeMethod> (*make)(const WakeSite&);
};

/// In the order of tables: futexes, what the C library makes of them, signals and
/// descriptors, spinning.
std::span<const WakeMethodEntry> wake_methods();

/// The row of that name; null if there is none.
const WakeMethodEntry* find_wake_method(std::string_view name);

/// The tables that make up the list.
extern const std::array<WakeMethodEntry, 4> kWakeFutexMethods;
extern const std::array<WakeMethodEntry, 5> kWakePosixMethods;
extern const std::array<WakeMethodEntry, 4> kWakeDescriptorMethods;

/// Ends the process because a system call failed that cannot, naming it. Uses errno.
[[noreturn, gnu::cold]] void wake_panic(const char* operation) noexcept;

/// For rows that every kernel can do.
inline std::string wake_always_available() { return {}; }

/// For the `make` of a row.
template <class Method>
std::unique_ptr<WakeMethod> make_wake_method(const WakeSite& site) {
  return std::make_unique<Method>(site);
}

}  // namespace futex_bench
