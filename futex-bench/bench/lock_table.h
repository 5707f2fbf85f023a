// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The locks as a table: everything the tool does by a lock's name. Reads locks/all.h; nothing is
/// written twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/locks/lock.h"
#include "futex-bench/bench/lock_loop.h"

namespace futex_bench {

/// One lock. The loops are instantiated once each, in lock_table.cpp; a thread reaches its loop
/// through one indirect call.
struct LockEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  LockTraits traits;
  std::size_t size;
  std::size_t alignment;
  /// Makes the lock in `memory`, which has its size and alignment.
  void (*construct)(void* memory, const LockConfig& config);
  void (*destroy)(void* memory);
  /// The measured loop.
  void (*run)(void* memory, const LoopWork& work, WorkerSlot& slot);
  /// The same loop with the exclusion check. `self` is the thread's number, from 1.
  void (*run_verified)(void* memory, const LoopWork& work, WorkerSlot& slot, VerifyState& state,
                       std::uint32_t self);
};

/// All locks: ours sorted by name, then the system's, then those of libraries.
std::span<const LockEntry> lock_table();

/// The entry of a name; nullptr if there is none.
const LockEntry* find_lock(std::string_view name);

}  // namespace futex_bench
