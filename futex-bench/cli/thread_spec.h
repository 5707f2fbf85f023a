// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Numbers of threads as the user writes them.
#pragma once

#include <string_view>
#include <vector>

namespace futex_bench {

/// The most threads that one point may have.
inline constexpr unsigned kMaxThreads = 65536;

/// The grammar of parse_threads() in one paragraph, for help texts.
extern const std::string_view kThreadSpecHelp;

/// Reads thread counts from 1 to kMaxThreads in the grammar of parse_ranges() and returns them in
/// ascending order. Different from there, a range without a step that spans more than 16 numbers
/// means the classical ladder 1 2 3 4 5 6 8 10 12 16 24 32 64 128 256 512 1024 (and on by powers of
/// two) within the range, with both of its ends kept. Throws UsageError.
std::vector<unsigned> parse_threads(std::string_view text);

}  // namespace futex_bench
