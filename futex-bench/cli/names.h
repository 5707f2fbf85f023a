// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Help for somebody who mistyped a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench {

/// The number of single-character insertions, deletions, replacements and swaps of neighbours that
/// turn `a` into `b` (the "optimal string alignment" distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that was probably meant: the one with the smallest edit distance, if that is at most a
/// third of the length typed. The first one wins a tie.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& names);

/// Why `name` is refused: "unknown mode 'wiat' (did you mean 'wait'?)", or, if none is near,
/// "unknown mode 'foo'; there are wait, spin". `kind` is "mode" in both.
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& names);

}  // namespace futex_bench
