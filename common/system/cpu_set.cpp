// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/cpu_set.h"

#include <algorithm>
#include <new>

namespace futex_bench {
namespace {

std::size_t needed(const std::vector<int>& cpus) {
  return static_cast<std::size_t>(*std::ranges::max_element(cpus)) + 1;
}

}  // namespace

CpuSet::CpuSet(const std::vector<int>& cpus)
    : bytes_(CPU_ALLOC_SIZE(needed(cpus))), set_(CPU_ALLOC(needed(cpus))) {
  if (set_ == nullptr) throw std::bad_alloc();
  CPU_ZERO_S(bytes_, set_.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, set_.get());
}

}  // namespace futex_bench
