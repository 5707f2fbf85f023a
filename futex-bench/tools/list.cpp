// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "futex-bench/bench/lock_table.h"
#include "futex-bench/bench/registry.h"

namespace futex_bench {
namespace {

std::string_view words(Fairness fairness) {
  switch (fairness) {
    case Fairness::kNone:
      return "none";
    case Fairness::kBarging:
      return "barging";
    case Fairness::kEventual:
      return "eventual";
    case Fairness::kFifo:
      return "FIFO";
  }
  return "?";
}

std::string_view waiting(const LockTraits& traits) {
  if (traits.spins && traits.parks) return "spins, then sleeps";
  if (traits.spins) return "spins";
  return traits.parks ? "sleeps" : "does not wait";
}

std::string kernel_words(const LockTraits& traits) {
  if (!traits.needs) return "can run it (no futex needed)";
  const FutexCapability& capability = futex_capability(*traits.needs);
  return capability.available
             ? fmt::format("can run it (has {})", capability.name)
             : fmt::format("cannot run it ({}: {})", capability.name, capability.reason);
}

}  // namespace

std::string list_text(bool verbose) {
  std::string text = "Benchmarks:\n";
  const auto out = std::back_inserter(text);
  for (const BenchmarkEntry& entry : benchmarks()) {
    fmt::format_to(out, "  {:<17} {}\n", entry.name, entry.summary);
  }
  text += "\nModes of lock:\n";
  for (const LockEntry& lock : lock_table()) {
    fmt::format_to(out, "  {:<17} {}\n", lock.name, lock.summary);
    fmt::format_to(out, "  {:<17}   source: {}\n", "", lock.source);
    fmt::format_to(out, "  {:<17}   this kernel: {}\n", "", kernel_words(lock.traits));
    if (!verbose) continue;
    fmt::format_to(out, "  {:<17}   fairness: {}; a waiter {}; {}{} bytes\n", "",
                   words(lock.traits.fairness), waiting(lock.traits),
                   lock.traits.takes_spin ? "obeys --spin; " : "", lock.size);
  }
  return text;
}

}  // namespace futex_bench
