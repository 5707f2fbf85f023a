// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/wake_methods.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/system/error.h"

namespace futex_bench {

std::span<const WakeMethodEntry> wake_methods() {
  static const std::vector<WakeMethodEntry> kAll = [] {
    // The spinning floor stands last, behind everything that sleeps.
    std::vector<WakeMethodEntry> all(kWakeFutexMethods.begin(), kWakeFutexMethods.end());
    all.insert(all.end(), kWakePosixMethods.begin(), kWakePosixMethods.end());
    all.insert(all.end(), kWakeDescriptorMethods.begin(), kWakeDescriptorMethods.end());
    std::stable_partition(all.begin(), all.end(),
                          [](const WakeMethodEntry& entry) { return entry.sleeps; });
    return all;
  }();
  return kAll;
}

const WakeMethodEntry* find_wake_method(std::string_view name) {
  const auto all = wake_methods();
  const auto found = std::ranges::find(all, name, &WakeMethodEntry::name);
  return found == all.end() ? nullptr : &*found;
}

void wake_panic(const char* operation) noexcept {
  std::fprintf(stderr, "futex-bench: %s: %s\n", operation, errno_name(errno).c_str());
  std::abort();
}

}  // namespace futex_bench
