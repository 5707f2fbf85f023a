// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The atomics of a run, by address. Values live here and not in the objects, so that a look at an
/// object that is gone can be told instead of suffered.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/model/clock.h"

namespace futex_bench::model {

/// An atomic object: its value in memory and its history.
struct Location {
  const void* address = nullptr;
  bool alive = true;
  std::uint64_t value = 0;
  VectorClock sync;  ///< what an acquire load of the value learns
  int born_by = -1;  ///< thread that constructed it, -1: before the threads began
  std::uint32_t born_at = 0;
  Moments used_at{};  ///< last access of each thread
};

/// Address -> index of the latest Location there. Indices are in order of construction, so they
/// name the same object in every run.
class LocationTable {
 public:
  static constexpr int kNone = -1;

  /// A new object at the address; the one that was there before keeps its index.
  int add(const void* address);
  /// The latest object at the address, alive or not; kNone if there never was one.
  int find(const void* address) const;
  Location& operator[](int index) { return locations_[static_cast<std::size_t>(index)]; }
  const Location& operator[](int index) const {
    return locations_[static_cast<std::size_t>(index)];
  }
  void clear();

 private:
  static constexpr std::size_t kSlots = 2048;  // a power of two
  std::size_t slot_of(const void* address) const;

  std::vector<Location> locations_;
  std::vector<std::size_t> used_slots_;
  struct Slot {
    const void* address = nullptr;
    int index = kNone;
  };
  std::array<Slot, kSlots> slots_{};
};

}  // namespace futex_bench::model
