// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Threads of a modelled program: stacks that are switched by hand, so that a schedule is a
/// decision of ours and a switch costs nanoseconds.
///
/// A fiber can be left for good in the middle (a failed run does that, because a lock is noexcept
/// and nothing may be thrown through it); what it holds is then not destroyed. AddressSanitizer is
/// told about every switch. ThreadSanitizer is not: it has nothing to find in a program of one
/// thread, so the tests of this folder skip themselves under it (kFibersWork).
#pragma once

#include <cstddef>
#include <memory>

#if !defined(__x86_64__) || defined(FUTEX_BENCH_MODEL_UCONTEXT)
#define FUTEX_BENCH_MODEL_USES_UCONTEXT 1
#include <ucontext.h>
#endif

namespace futex_bench::model {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kFibersWork = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kFibersWork = false;
#else
inline constexpr bool kFibersWork = true;
#endif
#else
inline constexpr bool kFibersWork = true;
#endif

/// One stack. A default-constructed one stands for the stack the program was started on.
class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes the next switch to this fiber call entry(argument) on its own stack, whatever was there
  /// before. `entry` must not return.
  void prepare(void (*entry)(void*), void* argument);

  /// Leaves this fiber, which must be the running one, and goes on in `to`. Returns when somebody
  /// switches back.
  void switch_to(Fiber& to);

  /// Like switch_to, but nobody will come back: sanitizers may forget this fiber's frames.
  [[noreturn]] void leave_for(Fiber& to);

 private:
  static void trampoline();
  void arrive();

  std::unique_ptr<std::byte[]> stack_;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* fake_stack_ = nullptr;    // AddressSanitizer's own
  const void* bottom_ = nullptr;  // of the stack, as AddressSanitizer names it
  std::size_t size_ = 0;
#if defined(FUTEX_BENCH_MODEL_USES_UCONTEXT)
  ucontext_t context_{};
#else
  void* stack_pointer_ = nullptr;
#endif
};

}  // namespace futex_bench::model
