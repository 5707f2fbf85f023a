// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/topology.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "common/system/cpu_list.h"
#include "common/system/error.h"
#include "common/system/text_file.h"

namespace futex_bench {
namespace {

/// A processor list from a file; empty if it is missing or malformed.
std::vector<int> read_list(const std::string& root, const std::string& path) {
  const FileText file = read_text(root, path);
  if (!file.text) return {};
  return parse_cpu_list(*file.text).value_or(std::vector<int>{});
}

int small_number(const std::string& root, const std::string& path, int otherwise) {
  const std::optional<std::int64_t> number = read_number(root, path);
  // Some ARM firmware gives package -1 for "not known".
  if (!number || *number < 0 || *number > kMaxCpuId) return otherwise;
  return static_cast<int>(*number);
}

struct Node {
  int id = 0;
  int first_cpu = 0;
};

/// Which node each processor belongs to.
std::unordered_map<int, Node> read_nodes(const std::string& root) {
  const std::string directory = "/sys/devices/system/node";
  std::unordered_map<int, Node> nodes;
  for (const std::string& name : list_directory(root, directory)) {
    if (!name.starts_with("node")) continue;
    const std::optional<std::int64_t> id = to_number(std::string_view(name).substr(4));
    if (!id || *id < 0 || *id > kMaxCpuId) continue;
    const std::vector<int> cpus = read_list(root, fmt::format("{}/{}/cpulist", directory, name));
    for (const int cpu : cpus) nodes[cpu] = {static_cast<int>(*id), cpus.front()};
  }
  return nodes;
}

/// Lowest processor that shares the highest cache level for which the kernel names the sharers.
std::optional<int> read_last_level_cache(const std::string& root, const std::string& cpu) {
  std::optional<int> first_sharer;
  int highest = 0;
  for (int index = 0;; ++index) {
    const std::string cache = fmt::format("{}/cache/index{}", cpu, index);
    const int level = small_number(root, cache + "/level", 0);
    if (level == 0) return first_sharer;
    if (level <= highest) continue;
    const std::vector<int> sharers = read_list(root, cache + "/shared_cpu_list");
    if (sharers.empty()) continue;
    highest = level;
    first_sharer = sharers.front();
  }
}

}  // namespace

Topology Topology::read(const std::string& root, const std::vector<int>& allowed) {
  const std::set<int> ids(allowed.begin(), allowed.end());
  const std::unordered_map<int, Node> nodes = read_nodes(root);
  const std::vector<int> atoms = read_list(root, "/sys/devices/cpu_atom/cpus");
  std::vector<Cpu> cpus;
  for (const int id : ids) {
    const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}", id);
    const std::vector<int> siblings = read_list(root, directory + "/topology/thread_siblings_list");
    const auto node = nodes.find(id);
    const bool has_node = node != nodes.end();
    Cpu cpu;
    cpu.id = id;
    cpu.core = siblings.empty() ? id : siblings.front();
    cpu.node = has_node ? node->second.id : 0;
    cpu.llc = read_last_level_cache(root, directory)
                  .value_or(has_node ? node->second.first_cpu : *ids.begin());
    cpu.package = small_number(root, directory + "/topology/physical_package_id", 0);
    cpu.capacity = small_number(root, directory + "/cpu_capacity", 0);
    cpu.atom = std::binary_search(atoms.begin(), atoms.end(), id);
    cpus.push_back(cpu);
  }
  return Topology(std::move(cpus));
}

Topology Topology::current() { return read("/", allowed_cpus()); }

std::vector<int> Topology::cpus_of_node(int node) const {
  std::vector<int> ids;
  for (const Cpu& cpu : cpus_) {
    if (cpu.node == node) ids.push_back(cpu.id);
  }
  return ids;
}

std::vector<int> Topology::nodes() const {
  std::set<int> ids;
  for (const Cpu& cpu : cpus_) ids.insert(cpu.node);
  return {ids.begin(), ids.end()};
}

bool Topology::mixed_cores() const {
  return std::any_of(cpus_.begin(), cpus_.end(), [this](const Cpu& cpu) {
    return cpu.capacity != cpus_.front().capacity || cpu.atom != cpus_.front().atom;
  });
}

std::vector<int> allowed_cpus() {
  // The kernel answers EINVAL as long as the mask is smaller than its own.
  for (int count = CPU_SETSIZE; count <= kMaxCpuId + 1; count *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
    const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(release)> mask(
        CPU_ALLOC(static_cast<std::size_t>(count)), release);
    if (mask == nullptr) throw_errno("allocating a processor mask");
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(0, bytes, mask.get()) != 0) {
      if (errno == EINVAL) continue;
      throw_errno("reading the processor affinity (sched_getaffinity)");
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  throw_errno("reading the processor affinity (sched_getaffinity)");
}

}  // namespace futex_bench
