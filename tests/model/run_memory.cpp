// SPDX-License-Identifier: GPL-2.0-only
// What the threads of a run see of memory.
//
// Store buffers without a choice at every step: that a store leaves its buffer commutes with
// everything that does not touch its location, except the stores in front of it in the same buffer.
// So nothing is decided until another thread touches the location; then (touch) it is decided how
// many of the stores to it have arrived. Each arrival touches its own location in turn, because the
// stores of two threads to one location may arrive in either order. No outcome is lost by that, and
// a store into a buffer is no place to switch at: nobody sees it happen.
#include <fmt/core.h>

#include <algorithm>

#include "tests/model/run.h"

namespace futex_bench::model {
namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace

void Run::born(const void* address, std::uint64_t value) {
  Location& location = locations_[locations_.add(address)];
  location.value = value;
  location.born_by = current_;
  if (in_host()) return;
  location.born_at = location.used_at[index(current_)] = me().clock[current_];
}

void Run::died(const void* address) {
  if (over_ || !failure_.empty()) return;
  const int number = locations_.find(address);
  Location& location = locations_[number];
  location.alive = false;
  if (in_host()) return;
  for (int i = 0; i < thread_count_; ++i) {
    if (!me().clock.covers(i, location.used_at[index(i)])) {
      fail(fmt::format("atomic #{} is destroyed while thread {} may still be using it", number, i));
    }
  }
  // Its own stores may still be under way, but nobody else will ever look for them.
  std::erase_if(me().buffer, [&](const PendingStore& s) { return s.location == number; });
}

int Run::use(const Op& op) {
  const int number = locations_.find(op.address);
  if (number == LocationTable::kNone) {
    fail(fmt::format("{} of an object that never was an atomic", op.name));
    return 0;
  }
  Location& location = locations_[number];
  if (!location.alive) fail(fmt::format("{} of atomic #{}, which is destroyed", op.name, number));
  if (in_host()) return number;
  if (location.born_by >= 0 && !me().clock.covers(location.born_by, location.born_at)) {
    fail(
        fmt::format("{} of atomic #{} is not ordered after its construction by thread {}: no "
                    "release and acquire, or the memory was used before for another object",
                    op.name, number, location.born_by));
  }
  location.used_at[index(current_)] = me().clock[current_];
  return number;
}

void Run::commit_oldest(int thread) {
  auto& buffer = threads_[index(thread)].buffer;
  const PendingStore store = buffer.front();
  buffer.erase(buffer.begin());
  committing_ |= 1U << thread;  // what is behind this store cannot overtake it
  touch(store.location, thread, false);
  committing_ &= ~(1U << thread);
  Location& location = locations_[store.location];
  if (!location.alive)
    fail(fmt::format("a store arrives at atomic #{}, which is destroyed", store.location));
  location.value = store.value;
  location.sync = store.sync;
  if (traced_) {
    note(thread, fmt::format("{:<22} its store #{} = {} arrives in memory", "", store.location,
                             name_of_value(store.value)));
  }
}

void Run::drain(int thread) {
  while (!threads_[index(thread)].buffer.empty()) commit_oldest(thread);
}

void Run::touch(int location, int by, bool keep_late) {
  for (int t = 0; t < thread_count_; ++t) {
    if (t == by || (committing_ >> t & 1U) != 0) continue;
    auto& buffer = threads_[index(t)].buffer;
    std::array<std::size_t, kMostBuffered> hits;  // places in the buffer, youngest first
    std::size_t count = 0;
    for (std::size_t i = buffer.size(); i-- > 0;) {
      if (buffer[i].location == location) hits[count++] = i;
    }
    if (count == 0 || (keep_late && buffer[hits[count - 1]].late)) continue;
    std::size_t most = 0;  // how many may stay behind
    for (std::uint32_t cost = 0; most < count; ++most) {
      cost += buffer[hits[most]].late ? 0 : 1;
      if (cost > late_left_) break;
    }
    const auto kept = static_cast<std::size_t>(choose(most + 1));
    for (std::size_t i = 0; i < kept; ++i) {
      PendingStore& store = buffer[hits[i]];
      if (!store.late && late_left_ != kUnbounded) --late_left_;
      store.late = true;
    }
    if (kept < count) {
      for (std::size_t n = hits[kept] + 1; n > 0; --n) commit_oldest(t);
    }
  }
}

std::uint64_t Run::visible(int location, int thread) const {
  if (thread >= 0) {
    const auto& buffer = threads_[index(thread)].buffer;
    for (std::size_t i = buffer.size(); i-- > 0;) {
      if (buffer[i].location == location) return buffer[i].value;
    }
  }
  return locations_[location].value;
}

void Run::remember(int location, std::uint64_t value, bool own) {
  if (in_host()) return;
  auto& seen = me().seen;
  if (own) std::erase_if(seen, [&](const Seen& s) { return s.location == location; });
  const bool known = std::any_of(seen.begin(), seen.end(), [&](const Seen& s) {
    return s.location == location && s.value == value;
  });
  if (!known) seen.push_back({location, value});
}

void Run::learn(int location, std::memory_order order) {
  (acquires(order) ? me().clock : me().unacquired).join(locations_[location].sync);
}

VectorClock Run::published(std::memory_order order) {
  VectorClock past = releases(order) ? me().clock : me().released;
  me().clock.tick(current_);
  return past;
}

std::uint64_t Run::load(Op op) {
  arrive(op);
  point(true);
  const int location = use(op);
  if (in_host()) return locations_[location].value;
  const auto& buffer = me().buffer;
  const bool forwarded = std::any_of(buffer.begin(), buffer.end(),
                                     [&](const PendingStore& s) { return s.location == location; });
  if (!forwarded) {
    touch(location, current_, spinning_on_ == current_);
    learn(location, op.order);
  }
  const std::uint64_t value = visible(location, current_);
  remember(location, value, false);
  if (traced_) tell(op, fmt::format(" gives {}", name_of_value(value)));
  return value;
}

void Run::store(Op op, std::uint64_t value) {
  const Fault fault = arrive(op);
  const bool buffered = bounds_.tso && op.order != std::memory_order_seq_cst;
  if (!buffered) point(false);
  const int location = use(op);
  if (in_host()) {
    locations_[location].value = value;
    return;
  }
  // What was chosen to run has done something: the next operation is a place to switch at.
  me().chosen = me().repeats = false;
  if (traced_) tell(op, fmt::format(" := {}", name_of_value(value)));
  if (fault == Fault::kDropStore) return;
  spinning_on_ = -1;
  if (buffered && me().buffer.size() >= bounds_.buffer) commit_oldest(current_);
  me().buffer.push_back({location, value, published(op.order), false});
  remember(location, value, true);
  if (!buffered) drain(current_);
}

int Run::begin_change(const Op& op) {
  if (in_host()) fail(fmt::format("{} outside of the threads: use load and store", op.name));
  point(false);
  const int location = use(op);
  drain(current_);  // as a locked instruction of x86 does, even one that writes nothing
  touch(location, current_, false);
  return location;
}

void Run::finish_change(const Op& op, int location, std::uint64_t value) {
  const std::uint64_t old = locations_[location].value;
  locations_[location].value = value;
  learn(location, op.order);
  VectorClock sync = published(op.order);
  sync.join(locations_[location].sync);  // a read-modify-write continues the release sequence
  locations_[location].sync = sync;
  remember(location, value, true);
  if (old != value) me().spins_on = 0;
  if (traced_) tell(op, fmt::format(" {} -> {}", name_of_value(old), name_of_value(value)));
}

std::uint64_t Run::change(Op op, Change change, std::uint64_t operand, std::uint64_t mask) {
  const Fault fault = arrive(op);
  const int location = begin_change(op);
  const std::uint64_t old = locations_[location].value;
  if (fault == Fault::kSplit) point(false);
  std::uint64_t now = operand;
  if (change == Change::kAdd) now = old + operand;
  if (change == Change::kSub) now = old - operand;
  if (change == Change::kOr) now = old | operand;
  if (change == Change::kAnd) now = old & operand;
  finish_change(op, location, now & mask);
  return old;
}

bool Run::compare_exchange(Op op, std::uint64_t& expected, std::uint64_t desired, bool weak) {
  const Fault fault = arrive(op);
  const int location = begin_change(op);
  const std::uint64_t old = locations_[location].value;
  bool refused = old != expected;
  if (!refused && weak && injections_left_ > 0 && choose(2) == 1) {
    --injections_left_;
    refused = true;
  }
  if (refused) {
    learn(location, fault == Fault::kRelax ? std::memory_order_relaxed : op.failure);
    remember(location, old, false);
    if (traced_) tell(op, fmt::format(" refused: it is {}", name_of_value(old)));
    expected = old;
    return false;
  }
  if (fault == Fault::kSplit) point(false);
  finish_change(op, location, desired);
  return true;
}

void Run::fence(Op op) {
  arrive(op);
  if (in_host()) return;
  if (op.order == std::memory_order_seq_cst) {
    point(false);
    drain(current_);
  }
  if (acquires(op.order)) me().clock.join(me().unacquired);
  if (releases(op.order)) {
    me().released = me().clock;
    me().clock.tick(current_);
  }
  if (traced_) tell(op, "");
}

void Run::plain_read(PlainHistory& history, const Where& where) {
  if (in_host()) return;
  for (int i = 0; i < thread_count_; ++i) {
    if (!me().clock.covers(i, history.writes[index(i)])) {
      fail(fmt::format("data race: read at line {} and a write of thread {}", where.line, i));
    }
  }
  history.reads[index(current_)] = me().clock[current_];
}

void Run::plain_write(PlainHistory& history, const Where& where) {
  if (in_host()) return;
  for (int i = 0; i < thread_count_; ++i) {
    if (!me().clock.covers(i, history.writes[index(i)]) ||
        !me().clock.covers(i, history.reads[index(i)])) {
      fail(fmt::format("data race: write at line {} and an access of thread {}", where.line, i));
    }
  }
  history.writes[index(current_)] = me().clock[current_];
}

}  // namespace futex_bench::model
