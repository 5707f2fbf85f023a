// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// How evenly threads were served, from the number of operations of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace futex_bench {

/// Jain's index (sum x)^2 / (n sum x^2): 1 if all threads did the same, 1/n if one did everything;
/// it equals 1 / (1 + CV^2), so the coefficient of variation says nothing more. NaN if there are no
/// threads or none did anything. Source: Jain, Chiu & Hawe, DEC-TR-301, 1984.
double jain(std::span<const std::uint64_t> operations);

/// The ends of the distribution; Jain's index hides one starved thread among many.
struct Shares {
  double min;           ///< share of the slowest thread relative to 1/n: 1 is exactly fair; NaN if
                        ///< there are no threads or none did anything
  double max;           ///< share of the fastest thread, likewise, at most n
  std::size_t starved;  ///< threads that did nothing at all
};

Shares shares(std::span<const std::uint64_t> operations);

}  // namespace futex_bench
