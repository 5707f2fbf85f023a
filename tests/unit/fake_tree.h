// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A made-up machine for tests: files of /proc and /sys in a folder of their own.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "common/system/error.h"

namespace futex_bench {

/// An empty root directory, removed with everything in it at the end of its life.
class FakeTree {
 public:
  FakeTree() {
    // Memory first: thousands of small files take seconds on some disks.
    for (const std::filesystem::path& folder :
         {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
      root_ = (folder / "futex-bench-test-XXXXXX").string();
      if (mkdtemp(root_.data()) != nullptr) return;
    }
    throw_errno("creating a folder for a test");
  }
  ~FakeTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  const std::string& root() const { return root_; }

  /// Writes a file and the folders above it; like the kernel, with a newline at the end.
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file);
    stream << text << '\n';
    if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
  }

  /// Makes an empty folder.
  void make_directory(const std::string& path) {
    std::filesystem::create_directories(root_ + path);
  }

  /// An online processor with a core of its own L1 and L2 and a shared L3.
  void add_cpu(int id, int package, const std::string& siblings, const std::string& llc_sharers) {
    write(cpu(id, "topology/thread_siblings_list"), siblings);
    write(cpu(id, "topology/physical_package_id"), std::to_string(package));
    add_cache(id, 0, 1, siblings);
    add_cache(id, 1, 1, siblings);
    add_cache(id, 2, 2, siblings);
    add_cache(id, 3, 3, llc_sharers);
  }

  void add_cache(int id, int index, int level, const std::string& sharers) {
    write(cpu(id, fmt::format("cache/index{}/level", index)), std::to_string(level));
    write(cpu(id, fmt::format("cache/index{}/shared_cpu_list", index)), sharers);
  }

  void add_node(int id, const std::string& cpus) {
    write(fmt::format("/sys/devices/system/node/node{}/cpulist", id), cpus);
  }

  /// The path of a file of one processor.
  static std::string cpu(int id, const std::string& name) {
    return fmt::format("/sys/devices/system/cpu/cpu{}/{}", id, name);
  }

 private:
  std::string root_;
};

}  // namespace futex_bench
