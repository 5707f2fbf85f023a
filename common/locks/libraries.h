// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Mutexes of libraries that need not be there: absl::Mutex and nsync. The Makefile tries whether
/// they can be used and defines FUTEX_BENCH_HAS_ABSL and FUTEX_BENCH_HAS_NSYNC for the files that
/// include this one. A mutex that is not there stays in the list, as one that says so.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "common/locks/lock.h"
#include "common/locks/platform.h"

#ifdef FUTEX_BENCH_HAS_ABSL
#include <absl/base/config.h>
#include <absl/synchronization/mutex.h>
#endif
#ifdef FUTEX_BENCH_HAS_NSYNC
#include <nsync_mu.h>
#endif

namespace futex_bench {

/// What `list` tells of a mutex with and without its library.
struct AbslText {
  static constexpr std::string_view kName = "absl";
  static constexpr std::string_view kSummary = "Mutex of Abseil: spins, then sleeps in a queue";
#ifdef FUTEX_BENCH_HAS_ABSL
#define FUTEX_BENCH_QUOTE_(x) #x
#define FUTEX_BENCH_QUOTE(x) FUTEX_BENCH_QUOTE_(x)
  static constexpr std::string_view kSource =
      "Abseil, release " FUTEX_BENCH_QUOTE(ABSL_LTS_RELEASE_VERSION);
#undef FUTEX_BENCH_QUOTE
#undef FUTEX_BENCH_QUOTE_
#else
  static constexpr std::string_view kSource = "Abseil";
#endif
  static constexpr std::string_view kNotBuiltIn =
      "not built in: install libabsl-dev and pkg-config, then build again";
};
struct NsyncText {
  static constexpr std::string_view kName = "nsync";
  static constexpr std::string_view kSummary =
      "mutex of nsync: spins, then sleeps in a queue; one designated waker at a time";
  static constexpr std::string_view kSource = "nsync, libnsync_cpp in use";
  static constexpr std::string_view kNotBuiltIn =
      "not built in: install libnsync-dev, then build again";
};

/// In the place of a mutex whose library was not there. It cannot be made, so it locks nothing.
template <class Text>
class NotBuiltIn {
 public:
  static constexpr std::string_view kName = Text::kName;
  static constexpr std::string_view kSummary = Text::kSummary;
  static constexpr std::string_view kSource = Text::kSource;
  static constexpr LockTraits kTraits{
      .excludes = false, .counts_slow = false, .not_built_in = Text::kNotBuiltIn};
  using Context = NoContext;

  /// Throws std::system_error (ENOSYS).
  explicit NotBuiltIn(const LockConfig&) {
    throw std::system_error(ENOSYS, std::generic_category(),
                            std::string(kName) + " is " + std::string(Text::kNotBuiltIn));
  }
  void lock(Context&) noexcept {}
  void unlock(Context&) noexcept {}
};

#ifdef FUTEX_BENCH_HAS_ABSL
/// absl::Mutex as an optimised build uses it: without its detection of deadlocks, which a library
/// compiled without NDEBUG (Debian's) has on and which costs several times the lock.
class AbslLock {
 public:
  static constexpr std::string_view kName = AbslText::kName;
  static constexpr std::string_view kSummary = AbslText::kSummary;
  static constexpr std::string_view kSource = AbslText::kSource;
  static constexpr LockTraits kTraits{.fairness = Fairness::kBarging,
                                      .spins = true,
                                      .parks = true,
                                      .needs = FutexOperation::kWait,
                                      .takes_shared = false,
                                      .counts_slow = false,
                                      .word_bytes = sizeof(absl::Mutex),
                                      .parameters = "no detection of deadlocks"};
  using Context = NoContext;

  explicit AbslLock(const LockConfig&) {
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  }
  void lock(Context&) noexcept { mutex_.Lock(); }
  void unlock(Context&) noexcept { mutex_.Unlock(); }

 private:
  alignas(kCacheLine) absl::Mutex mutex_;
};
#else
using AbslLock = NotBuiltIn<AbslText>;
#endif

#ifdef FUTEX_BENCH_HAS_NSYNC
/// nsync_mu. After 30 wakes in vain a waiter is not overtaken any more (LONG_WAIT_THRESHOLD).
class NsyncLock {
 public:
  static constexpr std::string_view kName = NsyncText::kName;
  static constexpr std::string_view kSummary = NsyncText::kSummary;
  static constexpr std::string_view kSource = NsyncText::kSource;
  static constexpr LockTraits kTraits{.fairness = Fairness::kEventual,
                                      .spins = true,
                                      .parks = true,
                                      .needs = FutexOperation::kWait,
                                      .takes_shared = false,
                                      .counts_slow = false,
                                      .word_bytes = sizeof(nsync::nsync_mu)};
  using Context = NoContext;

  explicit NsyncLock(const LockConfig&) { nsync::nsync_mu_init(&mutex_); }
  void lock(Context&) noexcept { nsync::nsync_mu_lock(&mutex_); }
  void unlock(Context&) noexcept { nsync::nsync_mu_unlock(&mutex_); }

 private:
  alignas(kCacheLine) nsync::nsync_mu mutex_;
};
#else
using NsyncLock = NotBuiltIn<NsyncText>;
#endif

/// Sorted by name, one per line.
using LibraryLocks = LockList<  //
    AbslLock,                   //
    NsyncLock>;

}  // namespace futex_bench
