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

/// One list after the other.
template <class... First, class... Second>
LockList<First..., Second...> joined(LockList<First...>, LockList<Second...>);

/// The entries of all locks of a list.
template <class... Ls>
constexpr auto lock_entries(LockList<Ls...>) {
  return std::array{lock_entry<Ls>()...};
}
/// The entries of several lists, one list after the other.
template <class First, class Second, class... More>
constexpr auto lock_entries(First, Second, More... more) {
  return lock_entries(decltype(joined(First{}, Second{})){}, more...);
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

template <class Probe, class... Ls>
constexpr auto probed_loops(LockList<Ls...>) {
  return std::array{probed_loop<Probe, Ls>()...};
}
template <class Probe, class First, class Second, class... More>
constexpr auto probed_loops(First, Second, More... more) {
  return probed_loops<Probe>(decltype(joined(First{}, Second{})){}, more...);
}

}  // namespace futex_bench
