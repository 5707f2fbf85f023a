// SPDX-License-Identifier: GPL-2.0-only
#include "tests/model/fiber.h"

#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define FUTEX_BENCH_MODEL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUTEX_BENCH_MODEL_ASAN 1
#endif
#endif
#if defined(FUTEX_BENCH_MODEL_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace futex_bench::model {
namespace {

// AddressSanitizer's frames are several times larger than plain ones.
constexpr std::size_t kStackBytes = 256 * 1024;

// The switch under way: a fiber that starts has no other way to know who it is.
Fiber* arriving = nullptr;
Fiber* departing = nullptr;

}  // namespace

#if !defined(FUTEX_BENCH_MODEL_USES_UCONTEXT)
// Saves the registers that a callee has to keep (System V AMD64 ABI) and the stack pointer, then
// takes up the other stack where it was left. Floating point modes are never changed by a lock.
extern "C" void futex_bench_model_switch(void** save, void* load);
asm(R"(
.text
.type futex_bench_model_switch, @function
futex_bench_model_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size futex_bench_model_switch, .-futex_bench_model_switch
)");
#endif

void Fiber::prepare(void (*entry)(void*), void* argument) {
  if (stack_ == nullptr) stack_ = std::make_unique<std::byte[]>(kStackBytes);
  bottom_ = stack_.get();
  size_ = kStackBytes;
  fake_stack_ = nullptr;
  entry_ = entry;
  argument_ = argument;
#if defined(FUTEX_BENCH_MODEL_ASAN)
  __asan_unpoison_memory_region(stack_.get(), kStackBytes);  // frames left for good
#endif
#if defined(FUTEX_BENCH_MODEL_USES_UCONTEXT)
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStackBytes;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::trampoline, 0);
#else
  // As if the trampoline had just been called: at its first instruction the stack pointer is 8
  // above a multiple of 16. Six registers and the address to return to lie below.
  auto top = reinterpret_cast<std::uintptr_t>(stack_.get() + kStackBytes) & ~std::uintptr_t{15};
  auto* frame = reinterpret_cast<void**>(top) - 8;
  for (int i = 0; i < 6; ++i) frame[i] = nullptr;
  frame[6] = reinterpret_cast<void*>(&Fiber::trampoline);
  frame[7] = nullptr;
  stack_pointer_ = frame;
#endif
}

void Fiber::trampoline() {
  Fiber* const self = arriving;
  self->arrive();
  self->entry_(self->argument_);
  std::abort();
}

void Fiber::arrive() {
#if defined(FUTEX_BENCH_MODEL_ASAN)
  // Where we come from is told here; the stack of the program's start is only known this way.
  __sanitizer_finish_switch_fiber(fake_stack_, &departing->bottom_, &departing->size_);
#endif
}

void Fiber::switch_to(Fiber& to) {
  departing = this;
  arriving = &to;
#if defined(FUTEX_BENCH_MODEL_ASAN)
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.size_);
#endif
#if defined(FUTEX_BENCH_MODEL_USES_UCONTEXT)
  swapcontext(&context_, &to.context_);
#else
  futex_bench_model_switch(&stack_pointer_, to.stack_pointer_);
#endif
  arrive();
}

void Fiber::leave_for(Fiber& to) {
  departing = this;
  arriving = &to;
#if defined(FUTEX_BENCH_MODEL_ASAN)
  __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.size_);
#endif
#if defined(FUTEX_BENCH_MODEL_USES_UCONTEXT)
  setcontext(&to.context_);
#else
  // Not into a local variable: AddressSanitizer may just have taken this frame away.
  futex_bench_model_switch(&stack_pointer_, to.stack_pointer_);
#endif
  std::abort();
}

}  // namespace futex_bench::model
