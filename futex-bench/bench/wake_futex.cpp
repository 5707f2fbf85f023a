// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Waking by a word in memory: futexes, and the spinning floor.
#include <new>

#include "common/futex/capability.h"
#include "common/futex/futex2.h"
#include "common/system/clock.h"
#include "futex-bench/bench/wake_methods.h"

namespace futex_bench {
namespace {

std::string missing(FutexOperation operation) {
  const FutexCapability& capability = futex_capability(operation);
  return capability.available ? std::string() : std::string(capability.reason);
}

std::string futex_missing() { return missing(FutexOperation::kWait); }
std::string futex2_missing() { return missing(FutexOperation::kWait2); }
std::string futex_pi_missing() { return missing(FutexOperation::kLockPi); }

/// The word holds the number of the last wake.
class WordMethod : public WakeMethod {
 public:
  explicit WordMethod(const WakeSite& site)
      : word_(*new (site.words) FutexWord(0)), scope_(scope_of(site.between)) {}

 protected:
  FutexWord& word_;
  FutexScope scope_;
};

class FutexMethod : public WordMethod {
 public:
  using WordMethod::WordMethod;
  void notify(std::uint64_t n) noexcept override {
    word_.store(static_cast<std::uint32_t>(n), std::memory_order_release);
    futex_wake(&word_, 1, scope_);
  }
  void wait(std::uint64_t n) noexcept override {
    const auto wanted = static_cast<std::uint32_t>(n);
    while (word_.load(std::memory_order_acquire) != wanted) futex_wait(word_, wanted - 1, scope_);
  }
};

class Futex2Method : public WordMethod {
 public:
  using WordMethod::WordMethod;
  void notify(std::uint64_t n) noexcept override {
    word_.store(static_cast<std::uint32_t>(n), std::memory_order_release);
    futex2_wake(&word_, 1, futex2_flags(scope_));
  }
  void wait(std::uint64_t n) noexcept override {
    const auto wanted = static_cast<std::uint32_t>(n);
    while (word_.load(std::memory_order_acquire) != wanted) {
      futex2_wait(word_, wanted - 1, futex2_flags(scope_));
    }
  }
};

/// What no kernel takes part in: the way of a cache line from one processor to the other.
class BusyWaitMethod : public WordMethod {
 public:
  using WordMethod::WordMethod;
  void notify(std::uint64_t n) noexcept override {
    word_.store(static_cast<std::uint32_t>(n), std::memory_order_release);
  }
  void wait(std::uint64_t n) noexcept override {
    const auto wanted = static_cast<std::uint32_t>(n);
    while (word_.load(std::memory_order_acquire) != wanted) LinuxPlatform::pause();
  }
};

/// Long enough to leave the processor for, which a sleep of a microsecond may end before.
constexpr std::int64_t kOffProcessorNs = 20'000;

/// Two locks in turn: the notifier holds the one that the waiter is to get next, and takes a lock
/// back only after the waiter has left it. So nobody can barge in, and a wake is always one round.
class PiMethod : public WakeMethod {
 public:
  explicit PiMethod(const WakeSite& site) : scope_(scope_of(site.between)) {
    for (std::size_t i = 0; i < 2; ++i) {
      words_[i] = new (static_cast<std::byte*>(site.words) + i * kCacheLine) FutexWord(0);
    }
  }
  void notifier_begins() override { take(1); }
  void prepare(std::uint64_t n) noexcept override {
    take(n + 1);
    // While the holder of a PI futex runs, the kernel lets its first waiter spin, in a state that
    // looks like sleep (rtmutex_spin_on_owner in kernel/locking/rtmutex.c). A short or a spinning
    // gap would find it so each time; once asleep it remains so.
    sleep_until_ns(now_ns() + kOffProcessorNs);
  }
  void notify(std::uint64_t n) noexcept override { leave(n); }
  void wait(std::uint64_t n) noexcept override { take(n); }
  void taken(std::uint64_t n) noexcept override { leave(n); }

 private:
  FutexWord& word(std::uint64_t n) { return *words_[n % 2]; }
  void take(std::uint64_t n) noexcept {
    std::uint32_t seen = 0;
    // Acquire pairs with the release in leave(), as the kernel's hand-over does.
    if (!word(n).compare_exchange_strong(seen, own_id(), std::memory_order_acquire)) {
      futex_lock_pi(word(n), FUTEX_LOCK_PI, scope_);
    }
  }
  void leave(std::uint64_t n) noexcept {
    std::uint32_t seen = own_id();
    if (!word(n).compare_exchange_strong(seen, 0, std::memory_order_release)) {
      futex_unlock_pi(word(n), scope_);
    }
  }
  static std::uint32_t own_id() noexcept {
    thread_local std::uint32_t id = 0;
    if (id == 0) id = static_cast<std::uint32_t>(gettid());
    return id;
  }

  FutexWord* words_[2];
  FutexScope scope_;
};

}  // namespace

const std::array<WakeMethodEntry, 4> kWakeFutexMethods = {{
    {"futex", "FUTEX_WAKE to FUTEX_WAIT", true, futex_missing, make_wake_method<FutexMethod>},
    {"futex2", "futex_wake to futex_wait, the system calls of Linux 6.7", true, futex2_missing,
     make_wake_method<Futex2Method>},
    {"futex-pi", "FUTEX_UNLOCK_PI hands over to FUTEX_LOCK_PI", true, futex_pi_missing,
     make_wake_method<PiMethod>},
    {"busy-wait", "a store to a cache line that the waiter polls", false, wake_always_available,
     make_wake_method<BusyWaitMethod>},
}};

}  // namespace futex_bench
