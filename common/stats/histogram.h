// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A histogram of 64-bit values, usually nanoseconds, cheap enough for a measured loop.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/stats/order_statistics.h"

namespace futex_bench {

/// Log-linear: every power of two is cut into 32 equal slots.
///
///     values                      slot width   slots
///     0 .. 63                     1            64      exact
///     2^e .. 2^(e+1)-1, e >= 6    2^(e-5)      32 for each of the 58 e
///
/// Error bound: a slot of width w starts at 32 w or above (if w > 1), and percentile() answers with
/// its middle, which no value in the slot is further than w/2 from. So the answer is off by at most
/// (w/2) / (32 w) = 1/64 of the value, 1.6 %. All of uint64 has a slot, so nothing is dropped or
/// clipped; smallest and largest value and the sum are exact.
///
/// Plain memory, no atomics: one histogram per thread, merged after the run. Aligned so that two
/// of them share no cache line, nor a pair that the hardware prefetches together. Trivially
/// copyable, so it may live in memory shared with a child.
class alignas(128) Histogram {
 public:
  static constexpr unsigned kSubBucketBits = 5;
  /// 1920 slots, 15 KiB.
  static constexpr std::size_t kSlots = (64 - kSubBucketBits + 1) << kSubBucketBits;
  /// What percentile() may be off by, as a fraction of the true value.
  static constexpr double kRelativeError = 1.0 / (2 << kSubBucketBits);

  /// Counts one value.
  void record(std::uint64_t value) noexcept {
    ++slots_[slot_of(value)];
    ++count_;
    add_to_sum(value);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  /// Adds everything that `other` has counted.
  void merge(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < kSlots; ++i) slots_[i] += other.slots_[i];
    count_ += other.count_;
    add_to_sum(other.sum_low_);
    sum_high_ += other.sum_high_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  /// Values recorded.
  std::uint64_t count() const noexcept { return count_; }
  /// Smallest value recorded, exact; only meaningful if count() > 0.
  std::uint64_t min() const noexcept { return min_; }
  /// Largest value recorded, exact; only meaningful if count() > 0.
  std::uint64_t max() const noexcept { return max_; }

  /// Arithmetic mean, from the exact sum; NaN if nothing was recorded.
  double mean() const noexcept {
    if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
    const double sum = static_cast<double>(sum_high_) * 0x1p64 + static_cast<double>(sum_low_);
    return sum / static_cast<double>(count_);
  }

  /// The p-th percentile (p in percent) by the nearest-rank rule, within kRelativeError of the
  /// value that has this rank, exact below 64 and at both ends; NaN if nothing was recorded.
  double percentile(double p) const noexcept {
    if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
    const std::uint64_t rank = nearest_rank(count_, p);
    if (rank == 1) return static_cast<double>(min_);
    if (rank == count_) return static_cast<double>(max_);
    std::size_t slot = 0;
    // The bound is for a histogram whose thread was killed while it recorded: then count and slots may
    // disagree.
    for (std::uint64_t seen = slots_[0]; seen < rank && slot + 1 < kSlots; seen += slots_[slot]) {
      ++slot;
    }
    return std::clamp(middle_of(slot), static_cast<double>(min_), static_cast<double>(max_));
  }

  /// Calls visit(low, high, count) for every slot that is not empty, in ascending order; values from
  /// low to high, both inclusive, fall into it.
  template <class Visitor>
  void for_each_slot(Visitor visit) const {
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if (slots_[slot] == 0) continue;
      visit(low_of(slot), low_of(slot) + (width_of(slot) - 1), slots_[slot]);
    }
  }

 private:
  /// By how much values of this size are shifted right to leave their 6 leading bits.
  static constexpr unsigned shift_of(std::uint64_t value) noexcept {
    constexpr std::uint64_t kSmallestShifted = std::uint64_t{1} << kSubBucketBits;
    return static_cast<unsigned>(std::bit_width(value | kSmallestShifted)) - kSubBucketBits - 1;
  }

  static constexpr std::size_t slot_of(std::uint64_t value) noexcept {
    const unsigned shift = shift_of(value);
    return (std::size_t{shift} << kSubBucketBits) + static_cast<std::size_t>(value >> shift);
  }
  static_assert(kSlots == 1920);

  static constexpr double middle_of(std::size_t slot) noexcept {
    if (slot < (2U << kSubBucketBits)) return static_cast<double>(slot);
    const std::uint64_t middle = low_of(slot) + (width_of(slot) - 1) / 2;
    return static_cast<double>(middle);
  }

  /// Smallest value in a slot.
  static constexpr std::uint64_t low_of(std::size_t slot) noexcept {
    if (slot < (2U << kSubBucketBits)) return slot;
    const unsigned shift = static_cast<unsigned>(slot >> kSubBucketBits) - 1;
    return std::uint64_t{slot - (std::size_t{shift} << kSubBucketBits)} << shift;
  }

  /// How many values fall into a slot.
  static constexpr std::uint64_t width_of(std::size_t slot) noexcept {
    if (slot < (2U << kSubBucketBits)) return 1;
    return std::uint64_t{1} << ((slot >> kSubBucketBits) - 1);
  }

  /// 128 bits in two halves: 2^64 values of any size fit.
  void add_to_sum(std::uint64_t value) noexcept {
    sum_low_ += value;
    if (sum_low_ < value) ++sum_high_;
  }

  std::array<std::uint64_t, kSlots> slots_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_low_ = 0;
  std::uint64_t sum_high_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
};

static_assert(std::is_trivially_copyable_v<Histogram>);

}  // namespace futex_bench
