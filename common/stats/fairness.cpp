// SPDX-License-Identifier: GPL-2.0-only
#include "common/stats/fairness.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace futex_bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// In floating point: the sum of counts near 2^64 does not fit in 64 bits.
double sum(std::span<const std::uint64_t> operations) {
  return std::accumulate(operations.begin(), operations.end(), 0.0,
                         [](double s, std::uint64_t x) { return s + static_cast<double>(x); });
}

}  // namespace

double jain(std::span<const std::uint64_t> operations) {
  const double total = sum(operations);
  if (total == 0) return kNaN;
  double squares = 0;
  for (const std::uint64_t x : operations) {
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  return total * total / (static_cast<double>(operations.size()) * squares);
}

Shares shares(std::span<const std::uint64_t> operations) {
  const auto starved =
      static_cast<std::size_t>(std::count(operations.begin(), operations.end(), 0));
  const double total = sum(operations);
  if (total == 0) return {kNaN, kNaN, starved};
  const auto [min, max] = std::minmax_element(operations.begin(), operations.end());
  const double fair = total / static_cast<double>(operations.size());
  return {static_cast<double>(*min) / fair, static_cast<double>(*max) / fair, starved};
}

}  // namespace futex_bench
