// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The exchange-based three-state futex lock, over each of the system calls that can sleep on a
/// word and wake.
///
/// | word | meaning                                         | left by                             |
/// |------|-------------------------------------------------|-------------------------------------|
/// | 0    | free; sleepers may exist, one of them is awake  | lock: 0 -> 1 (fast), 0 -> 2 (slow)  |
/// | 1    | held, nobody has asked to be woken              | unlock: exchange 0; waiter: -> 2    |
/// | 2    | held, the owner must wake somebody              | unlock: exchange 0, then a wake     |
///
/// INV1  Only the owner moves the word to 0.
/// INV2  As in wait.h: a thread that has been in the slow path takes the lock as 2.
///
/// One atomic operation for each fast path where wait.h has a read and a compare-and-swap: with no
/// read before it, the cache line is fetched for writing at once.
#pragma once

#include "common/locks/lock.h"
#include "common/locks/platform.h"

namespace futex_bench {

/// The word of a futex of the given kind.
template <class P, FutexCall kCall>
struct FutexCell {
  typename P::template Atomic<std::uint32_t> word{0};
};

/// With FUTEX2_NUMA the node whose hash table is used stands behind the word: here the one of the
/// thread that made the lock. Left open (kFutexNoNode), two first waiters on different nodes could
/// each enter their own.
template <class P>
struct alignas(8) FutexCell<P, FutexCall::kNuma> {
  typename P::template Atomic<std::uint32_t> word{0};
  std::uint32_t node = P::node();
};

/// What a mode shows of its FutexCall.
struct FutexCallNames {
  std::string_view mode;
  std::string_view summary;
  std::string_view source;
  FutexOperation needs;
};
constexpr FutexCallNames names_of(FutexCall call) {
  switch (call) {
    case FutexCall::kFutex:
      break;
    case FutexCall::kBitset:
      return {"bitset", "as wait-xchg, over FUTEX_WAIT_BITSET and FUTEX_WAKE_BITSET",
              "kernel/futex/syscalls.c; man 2 futex", FutexOperation::kBitset};
    case FutexCall::kWait2:
      return {"wait2", "as wait-xchg, over the system calls futex_wait and futex_wake",
              "kernel/futex/syscalls.c of Linux 6.7", FutexOperation::kWait2};
    case FutexCall::kWaitv:
      return {"waitv", "as wait-xchg, over futex_waitv with a list of one",
              "kernel/futex/syscalls.c of Linux 5.16", FutexOperation::kWaitv};
    case FutexCall::kNuma:
      return {"numa2", "as wait2, on a FUTEX2_NUMA word: the hash table of one node",
              "kernel/futex/core.c of Linux 6.16", FutexOperation::kNuma};
  }
  return {"wait-xchg",
          "FUTEX_WAIT: three states changed by exchange, one atomic operation for each fast path",
          "Ulrich Drepper, \"Futexes Are Tricky\" (2011), mutex3; glibc lowlevellock",
          FutexOperation::kWait};
}

/// See the head of this file.
template <Platform P, FutexCall kCall = FutexCall::kFutex>
class WaitXchgLock {
 public:
  static constexpr std::string_view kName = names_of(kCall).mode;
  static constexpr std::string_view kSummary = names_of(kCall).summary;
  static constexpr std::string_view kSource = names_of(kCall).source;
  static constexpr LockTraits kTraits{.fairness = Fairness::kBarging,
                                      .parks = true,
                                      .needs = names_of(kCall).needs,
                                      .word_bytes = kCall == FutexCall::kNuma ? 8 : 4};
  using Context = NoContext;

  explicit WaitXchgLock(const LockConfig& config) : scope_(config.scope) {}

  void lock(Context&) noexcept {
    std::uint32_t seen = kFree;
    // Acquire pairs with the release in unlock.
    if (cell_.word.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      return;
    }
    lock_slow(seen);
  }

  void unlock(Context&) noexcept {
    if (cell_.word.exchange(kFree, std::memory_order_release) == kContended) wake_slow();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kContended = 2;

  [[gnu::noinline, gnu::cold]] void lock_slow(std::uint32_t seen) noexcept {
    P::note_slow_path();
    // Acquire: an exchange that finds 0 has taken the lock.
    if (seen != kContended) seen = cell_.word.exchange(kContended, std::memory_order_acquire);
    while (seen != kFree) {
      P::template futex_wait_by<kCall>(cell_.word, kContended, scope_);
      seen = cell_.word.exchange(kContended, std::memory_order_acquire);
    }
  }

  [[gnu::noinline, gnu::cold]] void wake_slow() noexcept {
    P::template futex_wake_by<kCall>(&cell_.word, 1, scope_);
  }

  alignas(kCacheLine) FutexCell<P, kCall> cell_;
  alignas(kCacheLine) FutexScope scope_;
};

}  // namespace futex_bench
