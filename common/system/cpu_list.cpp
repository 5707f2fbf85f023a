// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/cpu_list.h"

#include <algorithm>
#include <charconv>

#include "common/system/text_file.h"

namespace futex_bench {
namespace {

/// Takes a number off the front of `text`; digits only, so no sign.
std::optional<int> take_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > kMaxCpuId) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

/// Adds one item of the list to `cpus`; false if it is malformed.
bool add_item(std::string_view item, std::vector<int>& cpus) {
  const std::optional<int> first = take_number(item);
  if (!first) return false;
  if (item.empty()) {
    cpus.push_back(*first);
    return true;
  }
  if (!take(item, '-')) return false;
  const std::optional<int> last = take_number(item);
  if (!last || *last < *first) return false;
  int used = 1;
  int group = 1;
  if (take(item, ':')) {
    const std::optional<int> given_used = take_number(item);
    if (!given_used || !take(item, '/')) return false;
    const std::optional<int> given_group = take_number(item);
    if (!given_group || *given_group == 0 || *given_used > *given_group) return false;
    used = *given_used;
    group = *given_group;
  }
  if (!item.empty()) return false;
  for (int cpu = *first; cpu <= *last; ++cpu) {
    if ((cpu - *first) % group < used) cpus.push_back(cpu);
  }
  return true;
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  text = trim(text);
  if (text.empty()) return cpus;
  for (const std::string_view item : split(text, ',')) {
    if (!add_item(item, cpus)) return std::nullopt;
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[first]);
    if (last > first) text += "-" + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace futex_bench
