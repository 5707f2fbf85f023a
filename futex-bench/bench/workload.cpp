// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/workload.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/system/clock.h"
#include "futex-bench/bench/lock_loop.h"

namespace futex_bench {
namespace {

double ns_per_unit() {
  constexpr std::uint64_t kUnits = 500'000;
  constexpr int kRuns = 64;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const std::int64_t start = now_ns();
    busy_work(kUnits);
    best = std::min(best, static_cast<double>(now_ns() - start) / kUnits);
  }
  return best;
}

}  // namespace

std::uint64_t busy_work_units(double ns) {
  if (ns <= 0) return 0;
  static const double kNsPerUnit = ns_per_unit();
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(ns / kNsPerUnit)));
}

}  // namespace futex_bench
