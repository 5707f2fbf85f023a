// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The mask of sched_setaffinity(2) and its kin, as large as it has to be.
#pragma once

#include <sched.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace futex_bench {

/// A set of processors; cpu_set_t alone ends at processor 1023.
class CpuSet {
 public:
  /// `cpus` are numbers of processors, 0 or above, and not empty. Throws std::bad_alloc.
  explicit CpuSet(const std::vector<int>& cpus);

  const cpu_set_t* get() const { return set_.get(); }
  /// Size of the mask, as the system calls want it.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Release {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };

  std::size_t bytes_;
  std::unique_ptr<cpu_set_t, Release> set_;
};

}  // namespace futex_bench
