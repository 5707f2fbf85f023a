// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/warning_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "futex-bench/report/number_text.h"

namespace futex_bench {

std::string warning_text(const Warning& warning) {
  return one_line(fmt::format("[{}] {}{}{}", warning.id, warning.text,
                              warning.fix.empty() ? "" : "; fix: ", warning.fix));
}

std::string field_value(std::span<const EnvironmentField> environment, std::string_view key) {
  const EnvironmentField* const field = find_field(environment, key);
  return field == nullptr ? "" : field->value.value_or("");
}

std::string point_words(const PointSamples& point) {
  std::vector<std::string> parts;
  if (!point.key.mode.empty()) parts.push_back(one_line(point.key.mode));
  if (point.key.threads != 0) parts.push_back(counted(point.key.threads, "thread"));
  for (const auto& [name, value] : point.key.parameters) {
    parts.push_back(one_line(fmt::format("{}={}", name, value)));
  }
  return parts.empty() ? one_line(point.key.benchmark) : fmt::format("{}", fmt::join(parts, ", "));
}

std::string some_of(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 3;
  const std::span<const std::string> all(items);
  if (all.size() <= kShown) return fmt::format("{}", fmt::join(all, "; "));
  return fmt::format("{} and {} more", fmt::join(all.first(kShown), "; "), all.size() - kShown);
}

}  // namespace futex_bench
