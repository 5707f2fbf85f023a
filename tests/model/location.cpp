// SPDX-License-Identifier: GPL-2.0-only
#include "tests/model/location.h"

#include <cstdio>
#include <cstdlib>

namespace futex_bench::model {

std::size_t LocationTable::slot_of(const void* address) const {
  // Fibonacci hashing, then linear probing.
  std::size_t slot = (reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15U) >> 53U;
  while (slots_[slot].address != nullptr && slots_[slot].address != address) {
    slot = (slot + 1) % kSlots;
  }
  return slot;
}

int LocationTable::add(const void* address) {
  const std::size_t slot = slot_of(address);
  if (slots_[slot].address == nullptr) {
    if (used_slots_.size() == kSlots / 2) {
      std::fputs("explorer: more atomics than a run can have\n", stderr);
      std::abort();
    }
    used_slots_.push_back(slot);
  }
  slots_[slot] = {address, static_cast<int>(locations_.size())};
  locations_.emplace_back().address = address;
  return slots_[slot].index;
}

int LocationTable::find(const void* address) const { return slots_[slot_of(address)].index; }

void LocationTable::clear() {
  for (const std::size_t slot : used_slots_) slots_[slot] = {};
  used_slots_.clear();
  locations_.clear();
}

}  // namespace futex_bench::model
