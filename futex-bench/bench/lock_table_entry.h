// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// From a list of lock types to entries of a table. Included only by those who instantiate loops:
/// each use compiles every lock in the list.
#pragma once

#include <array>
#include <memory>

#include "futex-bench/bench/lock_table.h"

namespace futex_bench {

template <Lock L>
constexpr LockEntry lock_entry() {
  return {
      L::kName,
      L::kSummary,
      L::kSource,
      L::kTraits,
      sizeof(L),
      alignof(L),
      [](void* memory, const LockConfig& config) {
        std::construct_at(static_cast<L*>(memory), config);
      },
      [](void* memory) { std::destroy_at(static_cast<L*>(memory)); },
      [](void* memory, const LoopWork& work, WorkerSlot& slot) {
        lock_loop(*static_cast<L*>(memory), work, slot, Count{});
      },
      [](void* memory, const LoopWork& work, WorkerSlot& slot, VerifyState& state,
         std::uint32_t self) {
        lock_loop(*static_cast<L*>(memory), work, slot, Verify(state, self));
      },
  };
}

/// The entries of both lists, one list after the other.
template <class... Ours, class... Systems>
constexpr auto lock_entries(LockList<Ours...>, LockList<Systems...>) {
  return std::array{lock_entry<Ours>()..., lock_entry<Systems>()...};
}

/// The measured loop of one lock with another probe.
template <class Probe>
struct ProbedLoop {
  std::string_view name;
  void (*run)(void* memory, const LoopWork& work, WorkerSlot& slot, Probe probe);
};

template <class Probe, Lock L>
constexpr ProbedLoop<Probe> probed_loop() {
  return {L::kName, [](void* memory, const LoopWork& work, WorkerSlot& slot, Probe probe) {
            lock_loop(*static_cast<L*>(memory), work, slot, probe);
          }};
}

template <class Probe, class... Ours, class... Systems>
constexpr auto probed_loops(LockList<Ours...>, LockList<Systems...>) {
  return std::array{probed_loop<Probe, Ours>()..., probed_loop<Probe, Systems>()...};
}

}  // namespace futex_bench
