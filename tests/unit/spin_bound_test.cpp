// SPDX-License-Identifier: GPL-2.0-only
// LockConfig::spin as a bound on pauses: nobody spends more before he sleeps or yields.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string_view>
#include <thread>

#include "common/locks/all.h"
#include "common/system/clock.h"
#include "futex-bench/bench/counting_platform.h"

namespace futex_bench {
namespace {

/// Their bound is a largest window, or a number of looks.
const std::set<std::string_view> kCountOtherwise = {"ttas-backoff", "barging-fair"};

std::uint64_t counted(const CallTally& tally, PlatformCall call) {
  return tally.counts[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
}

/// Pauses of a thread that finds the lock held, up to its first sleep, or yield if it never sleeps.
template <class L>
std::uint64_t pauses_before_it_stops(std::uint32_t spin) {
  const auto lock = std::make_unique<L>(LockConfig{.spin = spin});
  const auto tally = std::make_unique<CallTally>();
  typename L::Context mine;
  lock->lock(mine);
  std::thread waiter([&] {
    CountingPlatform::count_in(*tally);
    typename L::Context context;
    lock->lock(context);
    lock->unlock(context);
  });
  const std::int64_t give_up_ns = now_ns() + 10'000'000'000;
  // A lock that sleeps may yield before, and go on.
  constexpr PlatformCall kEnd = L::kTraits.parks ? PlatformCall::kWait : PlatformCall::kYield;
  const auto stopped = [&] { return counted(*tally, kEnd) > 0; };
  while (!stopped() && now_ns() < give_up_ns) std::this_thread::yield();
  EXPECT_TRUE(stopped()) << L::kName;
  const std::uint64_t pauses = counted(*tally, PlatformCall::kPause);
  lock->unlock(mine);
  waiter.join();
  return pauses;
}

template <class L>
void check_bound() {
  if constexpr (L::kTraits.takes_spin) {
    if (kCountOtherwise.count(L::kName) != 0) return;
    for (const std::uint32_t spin : {0U, 1U, 7U, 100U, 200U}) {
      // Several times: some draw the length of a round.
      for (int i = 0; i < 5; ++i) {
        EXPECT_LE(pauses_before_it_stops<L>(spin), spin) << L::kName;
      }
    }
  }
}

template <class... Ls>
void check_all(LockList<Ls...>) {
  (check_bound<Ls>(), ...);
}

TEST(SpinBound, NobodySpendsMorePausesThanWereAllowed) {
  check_all(ModelledLocks<CountingPlatform>{});
}

}  // namespace
}  // namespace futex_bench
