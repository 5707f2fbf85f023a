// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a lock has to hold under every schedule, as a program for the explorer.
///
/// - Mutual exclusion: nobody else is inside, and the data inside are ordered by happens-before.
/// - No lost wake-up and no endless spinning: all threads finish.
/// - No use of a queue node after its owner may have left: every acquisition has a Context of its
///   own, which is destroyed right after unlock and whose memory is not used again. A lock whose
///   nodes wander between threads (CLH: a thread leaves with the node of its predecessor) says so
///   with `static constexpr bool kNodesWander = true`; its threads then keep one Context until the
///   end. With LockLoad::keep so do the threads of any lock: what is left in a node is seen.
/// - First come, first served, if Fairness::kFifo is claimed: a thread that starts lock() while
///   another one has already paused or slept in its lock() must not get the lock before that one.
///   Arrival is not visible from outside, but a thread that waits has arrived, so a lock that is
///   FIFO is never blamed. A waiter whose sleep was cut short by an injection is not counted.
/// - If counts_slow is claimed: note_slow_path is called at most once for each acquisition, and
///   once if the thread has waited.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "common/locks/lock.h"
#include "tests/model/explorer.h"
#include "tests/model/platform.h"

namespace futex_bench::model {

/// Whether threads keep their Context of L until all are done.
template <class L>
constexpr bool kNodesWander = [] {
  if constexpr (requires { L::kNodesWander; }) return bool{L::kNodesWander};
  return false;
}();

/// How many threads take a lock how often.
struct LockLoad {
  int threads = 2;
  int rounds = 2;
  bool keep = false;  ///< a thread uses one Context for all its rounds
};

/// Threads that take turns in a lock.
template <Lock L>
class LockProgram : public Program {
 public:
  explicit LockProgram(const LockLoad& load)
      : threads_(load.threads),
        rounds_(load.rounds),
        keep_(load.keep || kNodesWander<L>),
        lock_(config()) {
    contexts_.resize(static_cast<std::size_t>(threads_) * static_cast<std::size_t>(rounds_));
  }
  int threads() const override { return threads_; }

  void run(int me) override {
    for (int round = 0; round < rounds_; ++round) {
      const int number = keep_ ? me * rounds_ : me * rounds_ + round;
      std::optional<typename L::Context>& context = contexts_[static_cast<std::size_t>(number)];
      if (!context) context.emplace();
      acquire(me, *context);
      inside_ = me;
      count_.write(count_.read() + 1);
      linger();
      require(inside_ == me, "mutual exclusion: somebody else came in");
      inside_ = kNobody;
      lock_.unlock(*context);
      if (!keep_) context.reset();
    }
  }

  void finish() override {
    require(count_.read() == threads_ * rounds_, "an acquisition is not counted");
  }

 private:
  static constexpr int kNobody = -1;

  // The smallest spinning there is, for few states.
  static LockConfig config() {
    LockConfig config;
    config.spin = 1;
    return config;
  }

  void acquire(int me, typename L::Context& context) {
    Run& run = Run::current();
    std::array<int, kMaxThreads> ahead{};  // acquisition that was waiting when this one began
    for (int t = 0; t < threads_; ++t) {
      if (t != me && locking_[at(t)] && run.has_waited(t)) ahead[at(t)] = acquisition_[at(t)];
    }
    ++acquisition_[at(me)];
    locking_[at(me)] = true;
    run.begin_acquisition();
    lock_.lock(context);
    locking_[at(me)] = false;
    require(inside_ == kNobody, "mutual exclusion: somebody is inside already");
    if (L::kTraits.fairness == Fairness::kFifo) {
      for (int t = 0; t < threads_; ++t) {
        const bool still = locking_[at(t)] && ahead[at(t)] == acquisition_[at(t)];
        require(!still || run.was_disturbed(t), "FIFO: overtook a thread that was waiting");
      }
    }
    if (L::kTraits.counts_slow) {
      require(run.slow_paths(me) <= 1, "note_slow_path is called twice in one acquisition");
      require(!run.has_waited(me) || run.slow_paths(me) == 1, "waited without note_slow_path");
    }
  }

  static std::size_t at(int thread) { return static_cast<std::size_t>(thread); }

  int threads_;
  int rounds_;
  bool keep_;
  L lock_;
  std::deque<std::optional<typename L::Context>> contexts_;
  Var<int> count_;
  int inside_ = kNobody;
  std::array<int, kMaxThreads> acquisition_{};
  std::array<bool, kMaxThreads> locking_{};
};

/// The program of a lock, for explore(), replay() and mutants.
template <Lock L>
ProgramFactory lock_program(LockLoad load) {
  return [load] { return std::make_unique<LockProgram<L>>(load); };
}

/// Checks a lock under every schedule within the bounds.
template <Lock L>
Result check_lock(LockLoad load, const Bounds& bounds) {
  return explore(bounds, lock_program<L>(load));
}

}  // namespace futex_bench::model
