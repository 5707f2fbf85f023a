// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/thread_spec.h"

#include <algorithm>
#include <cstdint>

#include "common/system/numbers.h"

namespace futex_bench {
namespace {

/// A range up to this length is taken as it is.
constexpr std::uint64_t kShortRange = 16;

/// The thread counts of futextest's performance run, continued to kMaxThreads.
constexpr std::uint64_t kLadder[] = {1,    2,    3,    4,    5,     6,     8,    10,
                                     12,   16,   24,   32,   64,    128,   256,  512,
                                     1024, 2048, 4096, 8192, 16384, 32768, 65536};

std::vector<std::uint64_t> plain_range(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> counts;
  if (last - first < kShortRange) {
    for (std::uint64_t n = first; n <= last; ++n) counts.push_back(n);
    return counts;
  }
  counts.push_back(first);
  for (const std::uint64_t rung : kLadder) {
    if (rung > first && rung < last) counts.push_back(rung);
  }
  counts.push_back(last);
  return counts;
}

}  // namespace

const std::string_view kThreadSpecHelp =
    "SPEC is a number (4), a range (1-8), a range with a step (1-64:8) or a factor (1-64:x2), or a "
    "comma list of these, from 1 to 65536. A range of more than 16 numbers without a step means "
    "the ladder 1 2 3 4 5 6 8 10 12 16 24 32 64 128 256 512 1024, then powers of two, cut to the "
    "range with both ends kept.";

std::vector<unsigned> parse_threads(std::string_view text) {
  std::vector<unsigned> threads;
  for (const std::uint64_t n : parse_ranges_in_order(text, 1, kMaxThreads, plain_range)) {
    threads.push_back(static_cast<unsigned>(n));
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

}  // namespace futex_bench
