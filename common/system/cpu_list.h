// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Lists of processors in the kernel's text form ("0-3,8"), as in cpuset files and sysfs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench {

/// Highest processor number that is believed. Far above every kernel's NR_CPUS; it keeps a broken
/// file from claiming all memory.
inline constexpr int kMaxCpuId = (1 << 20) - 1;

/// Reads the kernel's list format: numbers and ranges between commas, and in a range `:used/group`
/// for the first `used` of every `group` numbers (bitmap_parselist() in lib/bitmap-str.c):
/// "0-3,8,16-31:2/4". Returns the numbers ascending, each once. White space alone is the empty
/// list. Anything else, or a number above kMaxCpuId, gives nothing.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// Writes numbers compactly, in the order given: ascending neighbours become a range. {0,1,2,8} is
/// "0-2,8" and {1,0} is "1,0". No numbers give "".
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace futex_bench
