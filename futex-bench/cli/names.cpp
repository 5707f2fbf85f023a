// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/system/numbers.h"

namespace futex_bench {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances from the first i characters of a to each beginning of b. A swap looks
  // back two rows.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, previous);
    std::swap(previous, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& names) {
  std::optional<std::string> nearest;
  std::size_t limit = name.size() / 3;
  for (const std::string& candidate : names) {
    // The distance is at least the difference in length, which spares us huge arguments.
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) > limit) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < limit || (distance == limit && !nearest)) {
      nearest = candidate;
      limit = distance;
    }
  }
  return nearest;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& names) {
  if (const auto nearest = nearest_name(name, names)) {
    return fmt::format("unknown {} {} (did you mean '{}'?)", kind, quote(name), *nearest);
  }
  return fmt::format("unknown {} {}; there are {}", kind, quote(name), fmt::join(names, ", "));
}

}  // namespace futex_bench
