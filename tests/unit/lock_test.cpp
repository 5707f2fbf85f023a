// SPDX-License-Identifier: GPL-2.0-only
// Every lock on real threads, with exclusion checked by the same probe that the warm-up round uses.
// Run under ThreadSanitizer too, where the counter of the probe is plain data.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/locks/all.h"
#include "common/locks/libraries.h"
#include "common/system/sanitizer.h"
#include "common/system/thread_team.h"
#include "futex-bench/bench/lock_loop.h"

namespace futex_bench {
namespace {

struct Case {
  unsigned threads;
  std::uint64_t rounds;
};

/// What an old kernel lacks cannot be tested on it.
template <class L>
bool kernel_can_run() {
  return !L::kTraits.needs || futex_capability(*L::kTraits.needs).available;
}

template <class L>
void check_exclusion(const LockConfig& config, Case load) {
  if (!kernel_can_run<L>()) return;
  const auto lock = std::make_unique<L>(config);
  const LoopWork work;
  VerifyState state;
  const auto slots = std::make_unique<WorkerSlot[]>(load.threads);
  for (unsigned i = 0; i < load.threads; ++i) slots[i].limit = load.rounds;
  ThreadTeam team(load.threads, {}, [&](unsigned index) {
    LinuxPlatform::count_slow_paths_in(slots[index].slow_paths);
    lock_loop(*lock, work, slots[index], Verify(state, index + 1));
  });
  team.open_gate();
  team.join();
  EXPECT_EQ(state.overlaps.load(), 0U) << L::kName;
  EXPECT_EQ(state.counter, load.threads * load.rounds) << L::kName;
  for (unsigned i = 0; i < load.threads; ++i) {
    EXPECT_EQ(slots[i].acquisitions.load(), load.rounds);
    EXPECT_LE(slots[i].slow_paths.load(), load.rounds);
    EXPECT_LE(slots[i].start_ns.load(), slots[i].end_ns.load());
  }
}

template <class... Ls, class Check>
void for_each_lock(LockList<Ls...>, Check check) {
  (check.template operator()<Ls>(), ...);
}

const std::vector<Case> kLoads = {{1, 1000}, {2, 20000}, {4, 5000}, {16, 500}};

TEST(Locks, ExcludeOnRealThreads) {
  for_each_lock(ModelledLocks<YieldingPlatform>{}, []<class L>() {
    for (const Case& load : kLoads) check_exclusion<L>({}, load);
  });
}

TEST(Locks, ExcludeWithSharedFutexesAndNoSpinning) {
  for_each_lock(ModelledLocks<YieldingPlatform>{}, []<class L>() {
    check_exclusion<L>({.scope = FutexScope::kShared, .spin = 0}, {3, 3000});
  });
}

TEST(Locks, ThoseOfTheSystemAndOfLibrariesExcludeToo) {
  const auto check = []<class L>() {
    if constexpr (L::kTraits.excludes) {
      for (const Case& load : kLoads) check_exclusion<L>({}, load);
    }
  };
  for_each_lock(SystemLocks{}, check);
  for_each_lock(LibraryLocks{}, check);
}

/// Not a lock: reads and writes with nothing in between. The check must see it.
struct BrokenLock {
  static constexpr std::string_view kName = "broken";
  static constexpr std::string_view kSummary = "";
  static constexpr std::string_view kSource = "";
  static constexpr LockTraits kTraits{};
  using Context = NoContext;
  explicit BrokenLock(const LockConfig&) {}
  void lock(Context&) noexcept { sched_yield(); }
  void unlock(Context&) noexcept {}
};

TEST(Locks, TheCheckSeesALockThatDoesNotExclude) {
  if (kThreadSanitizer)
    GTEST_SKIP() << "the race this test makes on purpose is what ThreadSanitizer reports";
  BrokenLock lock{LockConfig{}};
  const LoopWork work{.hold = 10'000,
                      .gap = 0};  // long enough to be preempted inside, on one processor too
  std::uint64_t overlaps = 0;
  // Once is enough, but on a full machine the threads may run one after the other.
  for (int attempt = 0; attempt < 20 && overlaps == 0; ++attempt) {
    VerifyState state;
    std::vector<WorkerSlot> slots(4);
    for (WorkerSlot& slot : slots) slot.limit = 20'000;
    ThreadTeam team(4, {}, [&](unsigned index) {
      lock_loop(lock, work, slots[index], Verify(state, index + 1));
    });
    team.open_gate();
    team.join();
    overlaps = state.overlaps.load();
  }
  EXPECT_GT(overlaps, 0U);
}

TEST(Locks, CountTheSlowPathOfAnAcquisitionOnce) {
  for_each_lock(ModelledLocks<LinuxPlatform>{}, []<class L>() {
    if (!kernel_can_run<L>()) return;
    L lock{LockConfig{}};
    std::atomic<std::uint64_t> slow{0};
    LinuxPlatform::count_slow_paths_in(slow);
    typename L::Context context;
    lock.lock(context);
    lock.unlock(context);
    EXPECT_EQ(slow.load(), 0U) << L::kName;

    // A second thread that finds the lock held.
    lock.lock(context);
    std::atomic<std::uint64_t> other_slow{0};
    ThreadTeam team(1, {}, [&](unsigned) {
      LinuxPlatform::count_slow_paths_in(other_slow);
      typename L::Context other;
      lock.lock(other);
      lock.unlock(other);
    });
    team.open_gate();
    while (L::kTraits.counts_slow && other_slow.load() == 0) sched_yield();
    lock.unlock(context);
    team.join();
    EXPECT_EQ(other_slow.load(), L::kTraits.counts_slow ? 1U : 0U) << L::kName;
  });
}

}  // namespace
}  // namespace futex_bench
