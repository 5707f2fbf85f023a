// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_table.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "common/locks/all.h"

namespace futex_bench {
namespace {

template <Lock L>
constexpr LockEntry entry_for() {
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

template <class... Ours, class... Systems>
constexpr auto table_of(LockList<Ours...>, LockList<Systems...>) {
  return std::array{entry_for<Ours>()..., entry_for<Systems>()...};
}

constexpr auto kTable = table_of(ModelledLocks<LinuxPlatform>{}, SystemLocks{});

constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (kTable[i].name == kTable[j].name) return false;
    }
  }
  return true;
}
static_assert(names_are_unique(), "two locks in locks/all.h have the same name");

}  // namespace

std::span<const LockEntry> lock_table() { return kTable; }

const LockEntry* find_lock(std::string_view name) {
  const auto* const found = std::ranges::find(kTable, name, &LockEntry::name);
  return found == kTable.end() ? nullptr : found;
}

}  // namespace futex_bench
