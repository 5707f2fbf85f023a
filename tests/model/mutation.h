// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A fault put between a lock and the machine at one place of the lock's source, to see whether the
/// explorer notices. The source itself stays as it is.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace futex_bench::model {

/// What an operation does, as far as faults are concerned.
enum class OpKind : std::uint8_t { kLoad, kStore, kRmw, kFence, kWait, kWake };

/// A place in a source file that does an operation. `file` is a string of the program's image.
struct Site {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  OpKind kind = OpKind::kLoad;
  std::memory_order order = std::memory_order_relaxed;
  bool wakes_many = false;  ///< a wake of more than one thread

  /// Order of source files, lines and columns; the same place with another order is another site.
  std::strong_ordering operator<=>(const Site& other) const;
  bool operator==(const Site& other) const { return (*this <=> other) == 0; }
};

/// The kinds of faults.
enum class Fault : std::uint8_t {
  kNone,
  kRelax,          ///< the operation's memory order becomes relaxed
  kDropStore,      ///< the store does not happen
  kSplit,          ///< the read-modify-write becomes a read and, a switch later, a write
  kSleepAlways,    ///< the wait sleeps although the word no longer holds the expected value
  kDropWake,       ///< the wake does nothing and says that nobody waited
  kDropEvenWakes,  ///< every second wake of a run from there does nothing
  kWakeOne,        ///< the wake of many wakes one
};

/// Name of a fault as tables print it.
std::string_view name_of(Fault fault);

/// One fault at one place.
struct Mutation {
  Fault fault = Fault::kNone;
  Site site;
};

/// "file.h:12 exchange acquire", without the folders of the file.
std::string describe(const Site& site);

}  // namespace futex_bench::model
