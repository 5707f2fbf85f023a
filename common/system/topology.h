// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The processors this process may use and how they share cores, caches and memory nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace futex_bench {

/// One processor that this process is allowed to run on.
struct Cpu {
  int id = 0;
  int core = 0;       ///< lowest id among its SMT siblings (thread_siblings_list; core_id lies)
  int llc = 0;        ///< lowest id among those sharing its last-level cache
  int node = 0;       ///< NUMA node, 0 where there is none
  int package = 0;    ///< socket
  int capacity = 0;   ///< cpu_capacity of hybrid and big.LITTLE machines, 0 if the kernel has none
  bool atom = false;  ///< small core of a hybrid x86 processor (/sys/devices/cpu_atom/cpus)
};

/// The allowed processors, ascending by id.
class Topology {
 public:
  /// Reads `root`/sys for the processors in `allowed`. No file is required: what is missing makes
  /// every processor its own core in one cache (per node, if nodes are known) and one node. An
  /// id of a core or cache may be that of a processor outside `allowed`.
  static Topology read(const std::string& root, const std::vector<int>& allowed);

  /// The machine itself, within sched_getaffinity(2). Throws std::system_error.
  static Topology current();

  explicit Topology(std::vector<Cpu> cpus) : cpus_(std::move(cpus)) {}

  const std::vector<Cpu>& cpus() const { return cpus_; }
  /// Allowed processors of a node, ascending; empty if it has none.
  std::vector<int> cpus_of_node(int node) const;
  /// Nodes that have an allowed processor, ascending.
  std::vector<int> nodes() const;
  /// The allowed processors are not all of one kind (capacity or hybrid core type).
  bool mixed_cores() const;

 private:
  std::vector<Cpu> cpus_;
};

/// Processors in this thread's affinity mask, ascending. Grows the mask until the kernel accepts
/// it, so more than 1024 processors work. Throws std::system_error.
std::vector<int> allowed_cpus();

}  // namespace futex_bench
