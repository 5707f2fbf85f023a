// SPDX-License-Identifier: GPL-2.0-only
// Every lock of the catalogue under every schedule within bounds. The environment goes deeper:
// FUTEX_BENCH_MODEL_THREADS, _ROUNDS, _PREEMPTIONS, _SECONDS (for each lock and load). To see one
// schedule in words: FUTEX_BENCH_MODEL_REPLAY="LOCK THREADSxROUNDS STRING", as a failure prints it
// (k: one node each).
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <vector>

#include "tests/model/each_lock.h"

namespace futex_bench::model {
namespace {

using ::testing::HasSubstr;

struct Check {
  LockLoad load;
  Bounds bounds;
};

/// Two threads twice, three threads once, with queue nodes two threads twice with the same node (k
/// in the title); each with store buffers, and once more with surprises.
template <Lock L>
std::vector<Check> checks() {
  std::vector<Check> all;
  std::vector<LockLoad> loads = {{2, 2}, {3, 1}};
  if (L::kTraits.needs_node && !kNodesWander<L>) loads.push_back({2, 2, true});
  const int threads = static_cast<int>(from_environment("FUTEX_BENCH_MODEL_THREADS", 0));
  if (threads > kMaxThreads) throw std::invalid_argument("FUTEX_BENCH_MODEL_THREADS: at most 4");
  const int rounds = static_cast<int>(from_environment("FUTEX_BENCH_MODEL_ROUNDS", 1));
  if (threads > 0) loads = {{threads, rounds}};
  for (const LockLoad load : loads) {
    Bounds bounds;
    bounds.seconds = from_environment("FUTEX_BENCH_MODEL_SECONDS", 20);
    bounds.preemptions =
        from_environment("FUTEX_BENCH_MODEL_PREEMPTIONS", load.threads == 2 ? 3 : 2);
    bounds.late_stores = 2;
    all.push_back({load, bounds});
    bounds.late_stores = 1;
    bounds.injections = 1;
    all.push_back({load, bounds});
  }
  return all;
}

/// One preemption, then two, and so on up to the bound, as long as that takes a moment: locks with
/// a hundred operations have a million schedules where others have a thousand. The result names the
/// bound that was reached. The whole bound is taken if the environment asks for one.
template <Lock L>
Result check_deeper_and_deeper(const Check& check) {
  constexpr std::uint64_t kEnough = 3000;
  Bounds bounds = check.bounds;
  const bool asked = std::getenv("FUTEX_BENCH_MODEL_PREEMPTIONS") != nullptr;
  if (!asked) bounds.preemptions = 1;
  for (;;) {
    Result result = check_lock<L>(check.load, bounds);
    const bool last = bounds.preemptions >= check.bounds.preemptions;
    if (last || !result.passed() || result.schedules > kEnough) return result;
    ++bounds.preemptions;
  }
}

TEST(LockModel, EveryLockUnderEverySchedule) {
  int locks = 0;
  std::string unfinished;
  for_each_lock([&]<class L>() {
    ++locks;
    for (const Check& check : checks<L>()) {
      const Result result = check_deeper_and_deeper<L>(check);
      const std::string title = fmt::format("{} {}x{}{}", L::kName, check.load.threads,
                                            check.load.rounds, check.load.keep ? "k" : "");
      fmt::print("{:<20} {}\n", title, result.summary());
      EXPECT_FALSE(result.failed())
          << "FUTEX_BENCH_MODEL_REPLAY='" << title << ' ' << result.replay << "'";
      if (result.verdict == Verdict::kOutOfBudget) unfinished += "\n  " + title;
    }
  });
  EXPECT_GT(locks, 0);
  if (!unfinished.empty()) {
    fmt::print("BOUNDED BY BUDGET, not exhaustive within their bounds:{}\n", unfinished);
    RecordProperty("bounded_by_budget", unfinished);
  }
}

TEST(LockModel, ReplayAsAsked) {
  const char* const wanted = std::getenv("FUTEX_BENCH_MODEL_REPLAY");
  if (wanted == nullptr) GTEST_SKIP() << "FUTEX_BENCH_MODEL_REPLAY is not set";
  std::istringstream words(wanted);
  std::string name;
  std::string text;
  LockLoad load;
  char by = ' ';
  words >> name >> load.threads >> by >> load.rounds;
  if (words.peek() == 'k') load.keep = words.get() == 'k';
  words >> text;
  ASSERT_TRUE(words && by == 'x' && load.threads >= 1 && load.threads <= kMaxThreads)
      << "FUTEX_BENCH_MODEL_REPLAY is LOCK THREADSxROUNDS STRING, not '" << wanted << "'";
  bool found = false;
  for_each_lock([&]<class L>() {
    if (L::kName != name) return;
    found = true;
    const Result result = replay(text, lock_program<L>(load));
    fmt::print("{}{}\n", result.failure, result.trace);
  });
  EXPECT_TRUE(found) << "no modelled lock is called " << name;
}

/// A lock of the tests, broken in one way.
enum class Flaw { kNone, kRelaxedUnlock, kWokenTakesUnmarked, kNoWakeForSecond, kUnqueued, kNode };

template <Flaw kFlaw>
class Flawed {
 public:
  static constexpr std::string_view kName = "flawed";
  static constexpr std::string_view kSummary = "three-state futex lock with a flaw";
  static constexpr std::string_view kSource = "this test";
  static constexpr LockTraits kTraits{
      .fairness = kFlaw == Flaw::kUnqueued ? Fairness::kFifo : Fairness::kBarging, .parks = true};
  struct Context {
    Platform::Atomic<std::uint32_t> state{0};
  };
  explicit Flawed(const LockConfig& config) : scope_(config.scope) {}

  void lock(Context& context) noexcept {
    last_.store(&context, std::memory_order_release);
    std::uint32_t seen = 0;
    if (word_.compare_exchange_strong(seen, 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return;
    }
    Platform::note_slow_path();
    std::uint32_t mark = 2;
    while (word_.exchange(mark, std::memory_order_acquire) != 0) {
      Platform::futex_wait(word_, mark, scope_);
      if (kFlaw == Flaw::kWokenTakesUnmarked) mark = 1;
    }
  }
  void unlock(Context&) noexcept {
    const auto order =
        kFlaw == Flaw::kRelaxedUnlock ? std::memory_order_relaxed : std::memory_order_release;
    if (kFlaw == Flaw::kNode) {
      Context* const other = last_.load(std::memory_order_acquire);
      other->state.store(1, std::memory_order_relaxed);
    }
    if (kFlaw == Flaw::kNoWakeForSecond) {
      const bool contended = word_.load(std::memory_order_relaxed) == 2;
      word_.store(0, order);
      if (contended) Platform::futex_wake(&word_, 1, scope_);
    } else if (word_.exchange(0, order) == 2) {
      Platform::futex_wake(&word_, 1, scope_);
    }
  }

 private:
  Platform::Atomic<std::uint32_t> word_{0};
  Platform::Atomic<Context*> last_{nullptr};
  FutexScope scope_;
};

template <Flaw kFlaw>
Result check_flawed(LockLoad load) {
  Bounds bounds;
  bounds.preemptions = 2;
  bounds.late_stores = 1;
  const Result result = check_lock<Flawed<kFlaw>>(load, bounds);
  EXPECT_EQ(result.failed(), kFlaw != Flaw::kNone) << result.summary();
  return result;
}

TEST(LockCheck, PassesTheLockWithoutFlaw) {
  EXPECT_TRUE(check_flawed<Flaw::kNone>({2, 2}).passed());
  EXPECT_TRUE(check_flawed<Flaw::kNone>({3, 1}).passed());
}

TEST(LockCheck, FindsEachFlaw) {
  EXPECT_THAT(check_flawed<Flaw::kRelaxedUnlock>({2, 1}).failure, HasSubstr("data race"));
  EXPECT_THAT(check_flawed<Flaw::kWokenTakesUnmarked>({3, 1}).failure, HasSubstr("lost wake-up"));
  EXPECT_THAT(check_flawed<Flaw::kNoWakeForSecond>({2, 1}).failure, HasSubstr("lost wake-up"));
  EXPECT_THAT(check_flawed<Flaw::kUnqueued>({2, 2}).failure, HasSubstr("FIFO"));
  EXPECT_THAT(check_flawed<Flaw::kNode>({2, 2}).failure, HasSubstr("destroyed"));
}

}  // namespace
}  // namespace futex_bench::model
