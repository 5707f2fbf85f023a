// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Vector clocks: what happened before what. Source: Mattern, "Virtual Time and Global States of
/// Distributed Systems" (1989); their use for data races as in FastTrack (PLDI 2009).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/model/bounds.h"

namespace futex_bench::model {

/// For each thread the latest of its moments that is known to be in the past.
class VectorClock {
 public:
  std::uint32_t operator[](int thread) const { return at_[static_cast<std::size_t>(thread)]; }
  /// Starts the thread's next moment.
  void tick(int thread) { ++at_[static_cast<std::size_t>(thread)]; }
  /// From now on everything before `other` is in the past too.
  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = std::max(at_[i], other.at_[i]);
  }
  /// Whether the moment of the thread is in the past.
  bool covers(int thread, std::uint32_t moment) const { return moment <= (*this)[thread]; }

 private:
  std::array<std::uint32_t, kMaxThreads> at_{};
};

/// When each thread last did something; 0 is never.
using Moments = std::array<std::uint32_t, kMaxThreads>;

/// What is known about accesses to one piece of plain data.
struct PlainHistory {
  Moments reads{};
  Moments writes{};
};

}  // namespace futex_bench::model
