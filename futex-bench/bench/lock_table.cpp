// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_table.h"

#include <algorithm>

#include "common/locks/all.h"
#include "common/locks/libraries.h"
#include "futex-bench/bench/lock_table_entry.h"

namespace futex_bench {
namespace {

constexpr auto kTable = lock_entries(ModelledLocks<LinuxPlatform>{}, SystemLocks{}, LibraryLocks{});

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
