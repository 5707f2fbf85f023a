// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// One run of a program under one schedule: the threads, the memory they share, and every decision
/// that a real machine would leave to chance. Used by the model's Atomic, Var and Platform; tests
/// use explorer.h and platform.h.
#pragma once

#include <signal.h>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/futex/futex.h"
#include "tests/model/bounds.h"
#include "tests/model/clock.h"
#include "tests/model/fiber.h"
#include "tests/model/location.h"
#include "tests/model/mutation.h"
#include "tests/model/trail.h"
#include "tests/model/where.h"

namespace futex_bench::model {

class Program;

/// An operation as the program asks for it.
struct Op {
  OpKind kind;
  const char* name;
  const void* address;
  std::memory_order order;
  Where where;
  std::memory_order failure = std::memory_order_relaxed;  ///< of a compare-exchange that refuses
};

/// What a read-modify-write writes.
enum class Change : std::uint8_t { kExchange, kAdd, kSub, kOr, kAnd };

/// See the head of this file. Everything is in the unit of threads 0 .. n-1; -1 is the host, which
/// constructs the program before the threads and inspects it after them.
class Run {
 public:
  /// `sites`, if not null, collects the places of operations. `traced` records every step in words.
  Run(const Bounds& bounds, const Mutation& mutation, Trail& trail, std::set<Site>* sites,
      bool traced);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The run that is going on. Ends the process if there is none: an atomic of the model cannot
  /// outlive a run.
  static Run& current() noexcept;

  /// Runs one schedule, the trail's. Afterwards failure() tells.
  void execute(const std::function<std::unique_ptr<Program>()>& make);

  const std::string& failure() const { return failure_; }
  std::uint32_t steps() const { return steps_; }
  const std::string& trace() const { return trace_; }

  /// Ends the run as failed. Does not return to a thread; returns to the host.
  void fail(std::string what);

  // Atomics. Values are zero-extended to 64 bits; `mask` has the bits that the type has.
  void born(const void* address, std::uint64_t value);
  void died(const void* address);
  std::uint64_t load(Op op);
  void store(Op op, std::uint64_t value);
  /// Returns the value before.
  std::uint64_t change(Op op, Change change, std::uint64_t operand, std::uint64_t mask);
  /// Compare-exchange: whether it wrote; if not, `expected` gets the value found. A weak one may
  /// refuse for no reason, which is an injection.
  bool compare_exchange(Op op, std::uint64_t& expected, std::uint64_t desired, bool weak);
  void fence(Op op);

  // Plain data.
  void plain_read(PlainHistory& history, const Where& where);
  void plain_write(PlainHistory& history, const Where& where);

  // The rest of the platform.
  WaitResult futex_wait(Op op, std::uint32_t expected, FutexScope scope, std::uint32_t bits = ~0U);
  int futex_wake(Op op, int count, FutexScope scope, std::uint32_t bits = ~0U);
  void pause(const char* name, const Where& where);
  std::uint32_t random();
  std::int64_t now_ns();
  /// A place where a thread may stay for long: a switch there is free.
  void linger();

  // What the lock check needs.
  int thread() const { return current_; }
  void note_slow_path() { ++me().slow_paths; }
  /// Forgets the waits, sleeps and slow paths of the calling thread.
  void begin_acquisition();
  /// Whether the thread has paused or slept since begin_acquisition.
  bool has_waited(int thread) const { return threads_[index(thread)].waited; }
  /// Whether a wait of the thread was cut short since begin_acquisition.
  bool was_disturbed(int thread) const { return threads_[index(thread)].disturbed; }
  /// How often the thread has gone to sleep since begin_acquisition.
  std::uint32_t sleeps(int thread) const { return threads_[index(thread)].sleeps; }
  std::uint32_t slow_paths(int thread) const { return threads_[index(thread)].slow_paths; }

 private:
  enum class State : std::uint8_t { kReady, kPaused, kAsleep, kDone };
  struct PendingStore {
    int location;
    std::uint64_t value;
    VectorClock sync;
    bool late;  // somebody has looked past it
  };
  struct Seen {
    int location;
    std::uint64_t value;
  };
  struct Thread {
    Fiber fiber;
    State state = State::kReady;
    VectorClock clock;
    VectorClock unacquired;  // what relaxed loads saw: an acquire fence learns it
    VectorClock released;    // the past at the last release fence: relaxed stores pass it on
    std::vector<PendingStore> buffer;
    std::vector<Seen> seen;      // loaded since the last pause
    std::uint32_t spins_on = 0;  // times that it spun on although nothing had changed
    bool repeats = false;        // spinning on did nothing but load
    bool chosen = false;         // to run, and has done nothing yet: no place to switch again
    Where paused_at;
    std::uint32_t ran = 0;   // threads that ran since its last pause (bits)
    std::uint32_t owed = 0;  // threads that it lets run before it goes on (bits)
    const void* futex = nullptr;
    FutexScope scope = FutexScope::kPrivate;
    std::uint32_t futex_bits = 0;
    WaitResult woken_by = WaitResult::kWoken;
    bool waited = false;
    bool disturbed = false;
    std::uint32_t slow_paths = 0;
    std::uint32_t sleeps = 0;
  };
  enum class Move : std::uint8_t { kGoOn, kFlush, kSpinOnwards, kSpurious, kInterrupt };
  struct Option {
    Move move;
    int thread;
  };

  static std::size_t index(int thread) { return static_cast<std::size_t>(thread); }
  Thread& me() { return threads_[index(current_)]; }
  bool in_host() const { return current_ < 0; }

  // run.cpp: the frame of a run.
  static void on_segfault(int signal);
  static void thread_entry(void* run);
  int choose(std::size_t alternatives);
  void count_step();
  Fault arrive(Op& op, bool wakes_many = false);
  void tell(const Op& op, const std::string& what);
  std::string name_of_value(std::uint64_t value) const;
  void note(int thread, const std::string& what);

  // run_futex.cpp: who sleeps, and what time it is.
  void wake(int thread, WaitResult reason);

  // run_schedule.cpp: who runs.
  void point(bool only_loads);
  void reschedule();
  int pick();
  void list_options();
  int take(const Option& option);
  int force();
  bool is_fresh(int thread) const;
  int stores_until_seen(int reader, int writer) const;
  bool has_unseen_store(int reader) const;
  void let_spin_on(int thread, std::uint32_t pauses);
  std::uint32_t ready_threads() const;
  std::string state_report() const;

  // run_memory.cpp: what they see.
  int use(const Op& op);
  int begin_change(const Op& op);
  void finish_change(const Op& op, int location, std::uint64_t value);
  void touch(int location, int by, bool keep_late);
  void commit_oldest(int thread);
  void drain(int thread);
  std::uint64_t visible(int location, int thread) const;
  void remember(int location, std::uint64_t value, bool own);
  void learn(int location, std::memory_order order);
  VectorClock published(std::memory_order order);

  Bounds bounds_;
  struct sigaction segfault_before_ {};
  Mutation mutation_;
  Trail& trail_;
  std::set<Site>* sites_;
  bool traced_;

  Fiber host_;
  std::array<Thread, kMaxThreads> threads_;
  int thread_count_ = 0;
  int current_ = -1;
  Program* program_ = nullptr;
  LocationTable locations_;
  std::vector<int> sleepers_;  // in order of arrival
  std::vector<Option> options_;
  std::uint32_t committing_ = 0;  // threads whose oldest store is on its way to memory (bits)
  std::vector<Where> pure_;       // pauses of loops that do nothing but load
  int spinning_on_ = -1;
  std::uint32_t spins_left_ = 0;
  bool lingering_ = false;
  bool over_ = false;  // no more checks: the program is being taken down
  std::uint32_t preemptions_left_ = 0;
  std::uint32_t late_left_ = 0;
  std::uint32_t injections_left_ = 0;
  std::uint32_t steps_ = 0;
  std::uint32_t mutated_wakes_ = 0;
  std::int64_t now_ns_ = 0;
  bool hurries_ = false;
  std::string failure_;
  std::string trace_;
};

}  // namespace futex_bench::model
