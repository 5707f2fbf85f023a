// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/tsc.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "common/system/text_file.h"

namespace futex_bench {
namespace {

/// The features of the first processor in /proc/cpuinfo; nothing if it lists none.
std::optional<std::vector<std::string_view>> processor_flags(std::string_view cpuinfo) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != "flags") continue;
    return split(trim(line.substr(colon + 1)), ' ');
  }
  return std::nullopt;
}

}  // namespace

TscTrust tsc_trust(const std::string& root) {
#if !defined(__x86_64__)
  (void)root;
  return {false, "only x86-64 has the time stamp counter"};
#else
  const FileText source =
      read_text(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source.text) return {false, source.reason};
  if (*source.text != "tsc") {
    return {false, fmt::format("the kernel's clock source is {}, not tsc", *source.text)};
  }
  const FileText cpuinfo = read_text(root, "/proc/cpuinfo");
  if (!cpuinfo.text) return {false, cpuinfo.reason};
  const auto flags = processor_flags(*cpuinfo.text);
  if (!flags) return {false, "/proc/cpuinfo lists no flags"};
  for (const std::string_view flag : {"constant_tsc", "nonstop_tsc", "rdtscp"}) {
    if (std::ranges::find(*flags, flag) == flags->end()) {
      return {false, fmt::format("the processor has no {}", flag)};
    }
  }
  return {true, ""};
#endif
}

double ns_per_tick(std::uint64_t start_ticks, std::int64_t start_ns, std::uint64_t end_ticks,
                   std::int64_t end_ns) {
  if (end_ticks <= start_ticks || end_ns <= start_ns) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(end_ticks - start_ticks);
}

}  // namespace futex_bench
