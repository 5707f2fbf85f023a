// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The one place where text from a user becomes a number. Strict on purpose: what is not clearly a
/// number is refused, nothing wraps, saturates, is octal or depends on the locale.
///
/// Every function throws UsageError with one line: the text in quotes, what is wrong, what would be
/// right, as in `'5-1': range end is below its start (did you mean 1-5?)`. The caller puts the name
/// of the option in front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench {

/// The most numbers that one list may stand for. Checked before a list is built, so that
/// `1-99999999999` costs an error message and not the memory of the machine.
inline constexpr std::size_t kMaxRangeEntries = 65536;

/// `text` in single quotes, fit for an error message of one line: control characters become \xNN,
/// and of a very long text only the beginning is shown.
std::string quote(std::string_view text);

/// Reads a whole number within [min, max]: decimal digits, then perhaps `k` (thousand) or `M`
/// (million), as in `10k`. No sign, space, leading zero, point, exponent or hexadecimal.
std::uint64_t parse_count(std::string_view text, std::uint64_t min, std::uint64_t max);

/// Reads a number within [min, max]: `5`, `0.2`, `.5` or `1e-3`, with a point in every locale.
/// A number that a double cannot hold (1e400, 1e-400) is refused, as are `nan` and `inf`.
double parse_real(std::string_view text, double min, double max);

/// Reads a list of whole numbers within [min, max] and returns it in ascending order. Its parts,
/// separated by commas, are
///
///     4         a number, written as parse_count() takes it
///     1-8       every number from 1 to 8
///     1-64:8    every 8th, beginning with the first: 1 9 17 25 33 41 49 57. As with seq(1), the
///               last is part of it only if a step hits it
///     1-64:x2   each the double of the one before: 1 2 4 8 16 32 64; the factor is 2 or more
///
/// A number that occurs twice is an error, and so are more than kMaxRangeEntries numbers.
std::vector<std::uint64_t> parse_ranges(std::string_view text, std::uint64_t min,
                                        std::uint64_t max);

/// The numbers that a range without a step stands for; called with first <= last.
using PlainRange =
    std::function<std::vector<std::uint64_t>(std::uint64_t first, std::uint64_t last)>;

/// As parse_ranges(), but in the order written: `3,0-1` is 3 0 1. With `plain`, a range without a
/// step means what that function returns instead of every number.
std::vector<std::uint64_t> parse_ranges_in_order(std::string_view text, std::uint64_t min,
                                                 std::uint64_t max, const PlainRange& plain = {});

}  // namespace futex_bench
