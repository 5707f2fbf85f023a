// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/placement.h"

#include <fmt/format.h>
#include <numa.h>
#include <numaif.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/system/cpu_list.h"
#include "common/system/error.h"
#include "common/system/numbers.h"

namespace futex_bench {
namespace {

constexpr std::string_view kNodePrefix = "node=";
constexpr std::string_view kCpusPrefix = "cpus=";
/// Highest node number of any kernel (CONFIG_NODES_SHIFT is at most 10).
constexpr std::uint64_t kMaxNode = 1023;

std::vector<int> compact_order(const Topology& topology) {
  std::vector<Cpu> cpus = topology.cpus();
  std::sort(cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) {
    return std::tie(a.node, a.package, a.llc, a.core, a.id) <
           std::tie(b.node, b.package, b.llc, b.core, b.id);
  });
  std::vector<int> order;
  for (const Cpu& cpu : cpus) order.push_back(cpu.id);
  return order;
}

/// Every processor gets its turn at each level: which sibling of its core it is, how many cores of
/// its node come before it when the node's caches take turns, and its node. Sorting by these three
/// uses every core once before any sibling, and goes round the nodes before using a node again.
std::vector<int> scatter_order(const Topology& topology) {
  using Llc = std::map<int, std::vector<int>>;  // core -> processors, ascending
  std::map<int, std::map<int, Llc>> nodes;      // node -> cache -> cores
  for (const Cpu& cpu : topology.cpus()) nodes[cpu.node][cpu.llc][cpu.core].push_back(cpu.id);

  struct Turn {
    std::size_t sibling;
    std::size_t core;
    int node;
    int cpu;
  };
  std::vector<Turn> turns;
  for (const auto& [node, caches] : nodes) {
    // (turn of the core within its cache, cache) in order: caches alternate.
    std::vector<std::tuple<std::size_t, int, const std::vector<int>*>> cores;
    for (const auto& [cache, cores_of_cache] : caches) {
      std::size_t turn = 0;
      for (const auto& [core, siblings] : cores_of_cache) {
        cores.emplace_back(turn++, cache, &siblings);
      }
    }
    std::sort(cores.begin(), cores.end());
    for (std::size_t core = 0; core < cores.size(); ++core) {
      const std::vector<int>& siblings = *std::get<2>(cores[core]);
      for (std::size_t sibling = 0; sibling < siblings.size(); ++sibling) {
        turns.push_back({sibling, core, node, siblings[sibling]});
      }
    }
  }
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    return std::tie(a.sibling, a.core, a.node) < std::tie(b.sibling, b.core, b.node);
  });
  std::vector<int> order;
  for (const Turn& turn : turns) order.push_back(turn.cpu);
  return order;
}

std::vector<int> all_cpus(const Topology& topology) {
  std::vector<int> ids;
  for (const Cpu& cpu : topology.cpus()) ids.push_back(cpu.id);
  return ids;
}

/// The given processors, all of them allowed.
std::vector<int> checked_cpus(const std::vector<int>& cpus, const Topology& topology) {
  if (cpus.empty()) throw UsageError("a placement on given processors names none");
  const std::vector<int> allowed = all_cpus(topology);
  for (const int cpu : cpus) {
    if (!std::binary_search(allowed.begin(), allowed.end(), cpu)) {
      throw UsageError(fmt::format("processor {} is not available; this process may use {}", cpu,
                                   format_cpu_list(allowed)));
    }
  }
  return cpus;
}

std::vector<int> checked_node(unsigned node, const Topology& topology) {
  std::vector<int> cpus = topology.cpus_of_node(static_cast<int>(node));
  if (cpus.empty()) {
    throw UsageError(fmt::format("node {} has no processor that this process may use; nodes: {}",
                                 node, format_cpu_list(topology.nodes())));
  }
  return cpus;
}

/// One processor per thread, in turn.
std::vector<std::vector<int>> deal(const std::vector<int>& order, unsigned threads) {
  if (order.empty()) throw UsageError("there is no processor to place threads on");
  std::vector<std::vector<int>> lists;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    lists.push_back({order[thread % order.size()]});
  }
  return lists;
}

}  // namespace

std::string PlacementSpec::to_string() const {
  switch (policy) {
    case PlacementPolicy::kNone:
      return "none";
    case PlacementPolicy::kCompact:
      return "compact";
    case PlacementPolicy::kScatter:
      return "scatter";
    case PlacementPolicy::kNode:
      return fmt::format("{}{}", kNodePrefix, node);
    case PlacementPolicy::kCpus:
      return fmt::format("{}{}", kCpusPrefix, format_cpu_list(cpus));
  }
  return "none";  // not reached: every policy is above
}

PlacementSpec parse_placement(const std::string& text) {
  const std::string_view view = text;
  PlacementSpec spec;
  if (text == "none") {
    spec.policy = PlacementPolicy::kNone;
  } else if (text == "compact") {
    spec.policy = PlacementPolicy::kCompact;
  } else if (text == "scatter") {
    spec.policy = PlacementPolicy::kScatter;
  } else if (view.starts_with(kNodePrefix)) {
    spec.policy = PlacementPolicy::kNode;
    spec.node = static_cast<unsigned>(parse_count(view.substr(kNodePrefix.size()), 0, kMaxNode));
  } else if (view.starts_with(kCpusPrefix)) {
    spec.policy = PlacementPolicy::kCpus;
    for (const std::uint64_t cpu :
         parse_ranges_in_order(view.substr(kCpusPrefix.size()), 0, kMaxCpuId)) {
      spec.cpus.push_back(static_cast<int>(cpu));
    }
  } else {
    throw UsageError(quote(text) + ": expected none, compact, scatter, node=N or cpus=LIST");
  }
  return spec;
}

std::vector<std::vector<int>> place(const PlacementSpec& spec, const Topology& topology,
                                    unsigned threads) {
  switch (spec.policy) {
    case PlacementPolicy::kNone:
      break;
    case PlacementPolicy::kCompact:
      return deal(compact_order(topology), threads);
    case PlacementPolicy::kScatter:
      return deal(scatter_order(topology), threads);
    case PlacementPolicy::kNode:
      return std::vector<std::vector<int>>(threads, checked_node(spec.node, topology));
    case PlacementPolicy::kCpus:
      return deal(checked_cpus(spec.cpus, topology), threads);
  }
  return std::vector<std::vector<int>>(threads);
}

void bind_memory(void* address, std::size_t bytes, unsigned node) {
  if (numa_available() < 0) {
    throw UsageError("memory cannot be bound to a node: this kernel has no NUMA support");
  }
  std::vector<int> usable;
  for (int candidate = 0; candidate <= numa_max_node(); ++candidate) {
    if (numa_bitmask_isbitset(numa_all_nodes_ptr, static_cast<unsigned>(candidate)) != 0) {
      usable.push_back(candidate);
    }
  }
  if (std::find(usable.begin(), usable.end(), static_cast<int>(node)) == usable.end()) {
    throw UsageError(fmt::format("node {} has no memory that this process may use; nodes: {}", node,
                                 format_cpu_list(usable)));
  }
  const std::unique_ptr<bitmask, decltype(&numa_bitmask_free)> mask(numa_allocate_nodemask(),
                                                                    numa_bitmask_free);
  numa_bitmask_setbit(mask.get(), node);
  // mbind() wants the start of a page; the length it rounds up by itself.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t excess = reinterpret_cast<std::uintptr_t>(address) % page;
  // The kernel takes one bit less than it is told (get_nodes() in mm/mempolicy.c).
  if (mbind(static_cast<char*>(address) - excess, bytes + excess, MPOL_BIND, mask->maskp,
            mask->size + 1, 0) != 0) {
    throw_errno(fmt::format("binding memory to node {} (mbind)", node));
  }
}

}  // namespace futex_bench
