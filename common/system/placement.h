// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Which processor each thread runs on, and which node memory comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/system/topology.h"

namespace futex_bench {

/// How threads are laid on processors.
enum class PlacementPolicy : std::uint8_t {
  kNone,     ///< the scheduler decides
  kCompact,  ///< fill a core, then the last-level cache, then the node, before going further
  kScatter,  ///< as far apart as possible: nodes in turn, then caches, then cores
  kNode,     ///< unpinned within one node
  kCpus,     ///< the given processors in the given order, one thread each, in turn
};

/// A placement as the user asked for it.
struct PlacementSpec {
  PlacementPolicy policy = PlacementPolicy::kNone;
  unsigned node = 0;      ///< for kNode
  std::vector<int> cpus;  ///< for kCpus

  /// The text that gives this placement on the command line.
  std::string to_string() const;
};

/// Reads `none`, `compact`, `scatter`, `node=N` or `cpus=LIST`; the list in the grammar and order
/// of parse_ranges_in_order(), each processor once. Throws UsageError; whether processors and node
/// are there is for place() to say.
PlacementSpec parse_placement(const std::string& text);

/// The processors that each of `threads` threads may use: one list per thread, an empty list for
/// "not pinned". With more threads than processors they wrap around. Never outside
/// topology.cpus(), which holds the allowed ones; throws UsageError for a processor or node that is
/// not there, naming those that are.
std::vector<std::vector<int>> place(const PlacementSpec& spec, const Topology& topology,
                                    unsigned threads);

/// Binds the pages of [address, address + bytes) to a memory node, before their first use (mbind
/// through libnuma). Throws std::system_error, or UsageError if the node has no memory or the
/// kernel no NUMA.
void bind_memory(void* address, std::size_t bytes, unsigned node);

}  // namespace futex_bench
