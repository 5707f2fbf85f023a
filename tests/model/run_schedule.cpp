// SPDX-License-Identifier: GPL-2.0-only
// Who runs next.
//
// A spinner that has paused may go on when something it has read since its last pause has another
// value now. The values count, not the moment of the pause: a write that came after the first load
// of the iteration and before the pause must not be missed; and a write that changed nothing would
// only let the iteration repeat itself. Besides, a spinner may "spin on" (Bounds::spin_ons), which
// is how a lock that stops spinning after a while gets there.
#include <fmt/core.h>

#include <algorithm>

#include "tests/model/run.h"

namespace futex_bench::model {
namespace {

// Pauses of one spin-on: more than a lock with a small LockConfig::spin needs to stop spinning.
constexpr std::uint32_t kSpinOn = 16;

// The same when no other thread can run, where a lock has to get by itself out of any spinning.
constexpr std::uint32_t kSpinOnAlone = 200;

// Spin-ons without any change, when no other thread can run, after which nothing will ever change.
constexpr std::uint32_t kHopeless = 64;

constexpr std::uint32_t bit(int thread) { return 1U << thread; }

}  // namespace

void Run::point(bool only_loads) {
  if (in_host()) return;
  if (!only_loads) me().repeats = false;
  if (me().chosen) {
    me().chosen = false;
    return;
  }
  if (spinning_on_ == current_) {
    if (only_loads) return;
    spinning_on_ = -1;
  }
  reschedule();
  me().chosen = false;
}

void Run::linger() {
  if (in_host()) return;
  spinning_on_ = -1;
  lingering_ = true;
  reschedule();
  me().chosen = false;
}

void Run::reschedule() {
  const int self = current_;
  const int next = pick();
  if (next == self) return;
  current_ = next;
  threads_[index(self)].fiber.switch_to(threads_[index(next)].fiber);
}

int Run::pick() {
  list_options();
  const int next = options_.empty() ? force() : take(options_[index(choose(options_.size()))]);
  lingering_ = false;
  threads_[index(next)].chosen = true;
  for (Thread& thread : threads_) {
    thread.ran |= bit(next);
    thread.owed &= ~bit(next);
  }
  return next;
}

void Run::list_options() {
  options_.clear();
  const bool costs = !in_host() && me().state == State::kReady && !lingering_;
  if (costs) options_.push_back({Move::kGoOn, current_});
  if (costs && preemptions_left_ == 0) return;
  const std::uint32_t ready = ready_threads();
  for (int i = 1; i <= thread_count_; ++i) {
    const int t = (current_ + i) % thread_count_;
    const Thread& thread = threads_[index(t)];
    if (thread.state == State::kReady && !(costs && t == current_)) {
      options_.push_back({Move::kGoOn, t});
    }
    if (thread.state != State::kPaused || (thread.owed & ready) != 0) continue;
    if (is_fresh(t)) {
      options_.push_back({Move::kGoOn, t});
      continue;
    }
    if (has_unseen_store(t)) options_.push_back({Move::kFlush, t});
    const bool pure = std::find(pure_.begin(), pure_.end(), thread.paused_at) != pure_.end();
    if (thread.spins_on < bounds_.spin_ons && !pure) {
      options_.push_back({Move::kSpinOnwards, t});
    }
  }
  // A surprise must not rescue threads that nobody would ever wake.
  if (injections_left_ == 0 || options_.empty()) return;
  for (const int t : sleepers_) {
    options_.push_back({Move::kSpurious, t});
    options_.push_back({Move::kInterrupt, t});
  }
}

int Run::take(const Option& option) {
  const int t = option.thread;
  Thread& thread = threads_[index(t)];
  const bool costs = !in_host() && me().state == State::kReady && !lingering_ && t != current_;
  if (costs && preemptions_left_ != kUnbounded) --preemptions_left_;
  switch (option.move) {
    case Move::kGoOn:
      if (thread.state == State::kPaused) thread.spins_on = 0;
      break;
    case Move::kFlush: {
      std::array<int, kMaxThreads> writers;
      std::size_t count = 0;
      for (int w = 0; w < thread_count_; ++w) {
        if (stores_until_seen(t, w) > 0) writers[count++] = w;
      }
      const int writer = writers[index(choose(count))];
      for (int n = stores_until_seen(t, writer); n > 0; --n) commit_oldest(writer);
      thread.spins_on = 0;
      break;
    }
    case Move::kSpinOnwards:
      let_spin_on(t, kSpinOn);
      break;
    case Move::kSpurious:
    case Move::kInterrupt:
      --injections_left_;
      thread.disturbed = true;
      wake(t, option.move == Move::kSpurious ? WaitResult::kWoken : WaitResult::kInterrupted);
      note(t, option.move == Move::kSpurious ? "is woken for no reason" : "is interrupted");
      break;
  }
  return t;
}

void Run::let_spin_on(int thread, std::uint32_t pauses) {
  ++threads_[index(thread)].spins_on;
  spinning_on_ = thread;
  spins_left_ = pauses;
}

// Nobody can run but spinners to whom nothing has happened. In turn, so that no choice arises.
int Run::force() {
  int next = -1;
  for (int t = 0; t < thread_count_; ++t) {
    const Thread& thread = threads_[index(t)];
    if (thread.state != State::kPaused || thread.repeats || thread.spins_on >= kHopeless) continue;
    if (next < 0 || thread.spins_on < threads_[index(next)].spins_on) next = t;
  }
  if (next < 0) {
    const bool spins = std::any_of(threads_.begin(), threads_.begin() + thread_count_,
                                   [](const Thread& t) { return t.state == State::kPaused; });
    fail(spins ? "livelock: threads spin on what nobody will change, nobody else can run"
               : "deadlock: threads sleep and nobody is left to wake them (lost wake-up)");
  }
  let_spin_on(next, kSpinOnAlone);
  return next;
}

bool Run::is_fresh(int thread) const {
  const auto& seen = threads_[index(thread)].seen;
  return std::any_of(seen.begin(), seen.end(),
                     [&](const Seen& s) { return visible(s.location, thread) != s.value; });
}

// How many of the writer's oldest stores have to arrive until the reader can see one of them.
int Run::stores_until_seen(int reader, int writer) const {
  if (reader == writer) return 0;
  const auto& buffer = threads_[index(writer)].buffer;
  const auto& seen = threads_[index(reader)].seen;
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    if (std::any_of(seen.begin(), seen.end(),
                    [&](const Seen& s) { return s.location == buffer[i].location; })) {
      return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

bool Run::has_unseen_store(int reader) const {
  for (int w = 0; w < thread_count_; ++w) {
    if (stores_until_seen(reader, w) > 0) return true;
  }
  return false;
}

std::uint32_t Run::ready_threads() const {
  std::uint32_t ready = 0;
  for (int t = 0; t < thread_count_; ++t) {
    if (threads_[index(t)].state == State::kReady) ready |= bit(t);
  }
  return ready;
}

void Run::pause(const char* name, const Where& where) {
  if (in_host()) return;
  count_step();
  if (me().seen.empty()) return;  // a delay: nothing was looked at since the last pause
  if (traced_) note(current_, fmt::format("model: {} at line {}", name, where.line));
  me().waited = true;
  me().paused_at = where;
  if (spinning_on_ == current_) {
    if (--spins_left_ > 0) {
      me().seen.clear();
      return;
    }
    spinning_on_ = -1;
    me().repeats = true;
    pure_.push_back(me().paused_at);
  }
  // Fairness, as in Musuvathi and Qadeer, "Fair Stateless Model Checking" (PLDI 2008): who pauses a
  // second time goes behind those who could have run since the first time and did not.
  me().owed |= ready_threads() & ~bit(current_) & ~me().ran;
  me().ran = 0;
  me().state = State::kPaused;
  reschedule();
  me().state = State::kReady;
  me().seen.clear();
}

std::uint32_t Run::random() {
  if (hurries_) return ~0U;
  if (in_host() || injections_left_ == 0 || choose(2) == 0) return 0;
  --injections_left_;
  return ~0U;
}

void Run::begin_acquisition() {
  me().waited = me().disturbed = false;
  me().slow_paths = me().sleeps = 0;
}

}  // namespace futex_bench::model
