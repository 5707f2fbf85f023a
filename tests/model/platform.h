// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The machine of the explorer: what a modelled program uses instead of std::atomic, plain
/// variables and the kernel.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "common/locks/platform.h"
#include "tests/model/run.h"

namespace futex_bench::model {

/// Like std::atomic<T>, for integers, enums, bool and pointers up to 8 bytes. The object is only an
/// address and a size; its value and history are kept by the run. May only live inside a Program.
template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  using Order = std::memory_order;
  static constexpr Order kStrongest = std::memory_order_seq_cst;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;

  Atomic() noexcept : Atomic(T{}) {}
  Atomic(T value) noexcept { Run::current().born(this, bits(value)); }  // NOLINT: as std::atomic
  ~Atomic() { Run::current().died(this); }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(Order order = kStrongest, Where where = Where::current()) const noexcept {
    return value(Run::current().load({OpKind::kLoad, "load", this, order, where}));
  }
  void store(T desired, Order order = kStrongest, Where where = Where::current()) noexcept {
    Run::current().store({OpKind::kStore, "store", this, order, where}, bits(desired));
  }
  T exchange(T desired, Order order = kStrongest, Where where = Where::current()) noexcept {
    return change("exchange", Change::kExchange, bits(desired), order, where);
  }
  bool compare_exchange_strong(T& expected, T desired, Order success, Order failure,
                               Where where = Where::current()) noexcept {
    return compare("compare_exchange", expected, desired, success, failure, false, where);
  }
  bool compare_exchange_strong(T& expected, T desired, Order order = kStrongest,
                               Where where = Where::current()) noexcept {
    return compare("compare_exchange", expected, desired, order, on_failure(order), false, where);
  }
  /// May refuse although the value is the expected one: an injection.
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure,
                             Where where = Where::current()) noexcept {
    return compare("compare_exchange_weak", expected, desired, success, failure, true, where);
  }
  bool compare_exchange_weak(T& expected, T desired, Order order = kStrongest,
                             Where where = Where::current()) noexcept {
    return compare("compare_exchange_weak", expected, desired, order, on_failure(order), true,
                   where);
  }
  T fetch_add(T operand, Order order = kStrongest,
              Where where = Where::current()) noexcept requires std::integral<T> {
    return change("fetch_add", Change::kAdd, bits(operand), order, where);
  }
  T fetch_sub(T operand, Order order = kStrongest,
              Where where = Where::current()) noexcept requires std::integral<T> {
    return change("fetch_sub", Change::kSub, bits(operand), order, where);
  }
  T fetch_or(T operand, Order order = kStrongest,
             Where where = Where::current()) noexcept requires std::integral<T> {
    return change("fetch_or", Change::kOr, bits(operand), order, where);
  }
  T fetch_and(T operand, Order order = kStrongest,
              Where where = Where::current()) noexcept requires std::integral<T> {
    return change("fetch_and", Change::kAnd, bits(operand), order, where);
  }

 private:
  static constexpr std::uint64_t kMask = ~std::uint64_t{0} >> (64 - 8 * sizeof(T));

  static std::uint64_t bits(T value) noexcept {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof value);
    return raw;
  }
  static T value(std::uint64_t raw) noexcept {
    T result;
    std::memcpy(&result, &raw, sizeof result);
    return result;
  }
  static constexpr Order on_failure(Order success) noexcept {
    if (success == std::memory_order_acq_rel) return std::memory_order_acquire;
    if (success == std::memory_order_release) return std::memory_order_relaxed;
    return success;
  }
  T change(const char* name, Change kind, std::uint64_t operand, Order order,
           const Where& where) noexcept {
    return value(
        Run::current().change({OpKind::kRmw, name, this, order, where}, kind, operand, kMask));
  }
  bool compare(const char* name, T& expected, T desired, Order success, Order failure, bool weak,
               const Where& where) noexcept {
    std::uint64_t found = bits(expected);
    const bool done = Run::current().compare_exchange(
        {OpKind::kRmw, name, this, success, where, failure}, found, bits(desired), weak);
    expected = value(found);
    return done;
  }

  [[maybe_unused]] T size_of_the_real_one_{};
};

/// std::atomic_thread_fence.
inline void fence(std::memory_order order, Where where = Where::current()) noexcept {
  Run::current().fence({OpKind::kFence, "fence", nullptr, order, where});
}

/// A plain variable. Two accesses of different threads, one of them a write, that are not ordered
/// by happens-before fail the run, whatever the schedule made of them.
template <class T>
class Var {
 public:
  explicit Var(T value = T{}) : value_(std::move(value)) {}
  const T& read(Where where = Where::current()) const {
    Run::current().plain_read(history_, where);
    return value_;
  }
  void write(T value, Where where = Where::current()) {
    Run::current().plain_write(history_, where);
    value_ = std::move(value);
  }

 private:
  T value_;
  mutable PlainHistory history_;
};

/// Fails the run unless the condition holds.
inline void require(bool condition, const char* what) {
  if (!condition) Run::current().fail(what);
}

/// See run.h.
inline void linger() { Run::current().linger(); }

/// The explorer's machine, as locks see it.
struct Platform {
  template <class T>
  using Atomic = model::Atomic<T>;

  /// Compares and queues in one step. Full barrier. Makes nothing happen before anything else: the
  /// kernel promises no such thing to user memory.
  static WaitResult futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                               FutexScope scope, Where where = Where::current()) noexcept {
    return Run::current().futex_wait(
        {OpKind::kWait, "futex_wait", &word, std::memory_order_relaxed, where}, expected, scope);
  }
  /// Wakes in order of arrival those that wait on the address with the same scope, whatever became
  /// of the object there.
  static int futex_wake(const Atomic<std::uint32_t>* address, int count, FutexScope scope,
                        Where where = Where::current()) noexcept {
    return Run::current().futex_wake(
        {OpKind::kWake, "futex_wake", address, std::memory_order_relaxed, where}, count, scope);
  }
  /// All kernel calls do the same here.
  template <FutexCall>
  static WaitResult futex_wait_by(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                                  FutexScope scope, Where where = Where::current()) noexcept {
    return futex_wait(word, expected, scope, where);
  }
  template <FutexCall>
  static int futex_wake_by(const Atomic<std::uint32_t>* address, int count, FutexScope scope,
                           Where where = Where::current()) noexcept {
    return futex_wake(address, count, scope, where);
  }
  /// Wakes only waiters that have one of the bits.
  static WaitResult futex_wait_bits(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                                    std::uint32_t bits, FutexScope scope,
                                    Where where = Where::current()) noexcept {
    return Run::current().futex_wait(
        {OpKind::kWait, "futex_wait_bits", &word, std::memory_order_relaxed, where}, expected,
        scope, bits);
  }
  static int futex_wake_bits(const Atomic<std::uint32_t>* address, int count, std::uint32_t bits,
                             FutexScope scope, Where where = Where::current()) noexcept {
    return Run::current().futex_wake(
        {OpKind::kWake, "futex_wake_bits", address, std::memory_order_relaxed, where}, count, scope,
        bits);
  }
  /// Stands still; or has gone on by kTimeJump, as an injection, or always if the program hurries.
  static std::int64_t now_ns() noexcept { return Run::current().now_ns(); }
  /// Threads 0 and 1 run on node 0, the host too; the others run on node 1.
  static std::uint32_t node() noexcept { return Run::current().thread() >= 2 ? 1 : 0; }
  static void pause(Where where = Where::current()) noexcept {
    Run::current().pause("pause", where);
  }
  static void yield(Where where = Where::current()) noexcept {
    Run::current().pause("yield", where);
  }
  /// 0; or all ones, as an injection, or always if the program hurries.
  static std::uint32_t random() noexcept { return Run::current().random(); }
  static void note_slow_path() noexcept { Run::current().note_slow_path(); }
  static void invariant(bool holds, const char* what) noexcept {
    if (!holds) Run::current().fail(std::string("invariant: ") + what);
  }
  static void fence(std::memory_order order, Where where = Where::current()) noexcept {
    model::fence(order, where);
  }
};

static_assert(futex_bench::Platform<Platform>);

}  // namespace futex_bench::model
