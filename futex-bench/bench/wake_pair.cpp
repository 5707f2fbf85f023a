// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "common/system/cpu_list.h"
#include "common/system/error.h"

namespace futex_bench {
namespace {

/// Index in kPairNames.
std::size_t kind_of(const Cpu& a, const Cpu& b) {
  if (a.id == b.id) return 0;
  if (a.core == b.core) return 1;
  if (a.llc == b.llc) return 2;
  return a.node == b.node ? 3 : 4;
}

}  // namespace

CpuPair find_pair(std::string_view kind, const Topology& topology) {
  const auto name = std::ranges::find(kPairNames, kind);
  if (name == kPairNames.end()) throw std::logic_error("no such kind of pair");
  const auto wanted = static_cast<std::size_t>(name - kPairNames.begin());
  std::vector<int> ids;
  for (const Cpu& a : topology.cpus()) {
    ids.push_back(a.id);
    for (const Cpu& b : topology.cpus()) {
      if (kind_of(a, b) == wanted) return {a.id, b.id};
    }
  }
  throw UsageError(fmt::format("--pair: no two of the allowed processors {} are {}",
                               format_cpu_list(ids), kind));
}

std::vector<CpuPair> all_pairs(const Topology& topology) {
  std::vector<CpuPair> pairs;
  for (const Cpu& a : topology.cpus()) {
    for (const Cpu& b : topology.cpus()) pairs.emplace_back(a.id, b.id);
  }
  return pairs;
}

}  // namespace futex_bench
