// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What tests of the environment look at: one field of what is captured in a made-up tree.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/system/environment.h"
#include "tests/unit/fake_tree.h"

namespace futex_bench {

/// A machine of these processors, each a core of its own.
inline Topology cpus(const std::vector<int>& ids) {
  std::vector<Cpu> list;
  for (const int id : ids) {
    Cpu cpu;
    cpu.id = cpu.core = id;
    list.push_back(cpu);
  }
  return Topology(std::move(list));
}

/// What the field with this key shows, "unknown (...)" included.
inline std::string text_of(const std::vector<EnvironmentField>& fields, const std::string& key) {
  for (const EnvironmentField& field : fields) {
    if (field.key == key) return field.text();
  }
  return "(no such field)";
}

/// The same of what is captured below `tree`.
inline std::string shown(const FakeTree& tree, const Topology& topology, const std::string& key) {
  return text_of(capture_environment(tree.root(), topology), key);
}

inline std::string shown(const FakeTree& tree, const std::string& key) {
  return shown(tree, cpus({0, 1}), key);
}

}  // namespace futex_bench
