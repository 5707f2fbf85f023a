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

/// Whether it can run here; if not, why.
std::string availability_words(const LockTraits& traits) {
  if (!traits.not_built_in.empty()) return std::string(traits.not_built_in);
  if (!traits.needs) return "this kernel: can run it (no futex needed)";
  const FutexCapability& capability = futex_capability(*traits.needs);
  return capability.available ? fmt::format("this kernel: can run it (has {})", capability.name)
                              : fmt::format("this kernel: cannot run it ({}: {})", capability.name,
                                            capability.reason);
}

std::string memory_words(const LockEntry& lock) {
  if (!lock.traits.excludes) return "nothing is locked";
  return fmt::format("{} bytes are contended for, {} with padding{}{}", lock.traits.word_bytes,
                     lock.size, lock.traits.needs_node ? "; a queue node for each thread" : "",
                     lock.traits.takes_shared ? "" : "; for the threads of one process");
}

/// What is in force without options.
std::string parameter_words(const LockTraits& traits) {
  std::string text = traits.takes_spin ? fmt::format("--spin {}", traits.default_spin) : "";
  if (!text.empty() && !traits.parameters.empty()) text += "; ";
  return text + std::string(traits.parameters);
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
    fmt::format_to(out, "  {:<17}   {}\n", "", availability_words(lock.traits));
    if (!verbose || !lock.traits.not_built_in.empty()) continue;
    fmt::format_to(out, "  {:<17}   fairness: {}; a waiter {}\n", "", words(lock.traits.fairness),
                   waiting(lock.traits));
    fmt::format_to(out, "  {:<17}   memory: {}\n", "", memory_words(lock));
    const std::string parameters = parameter_words(lock.traits);
    if (!parameters.empty()) fmt::format_to(out, "  {:<17}   parameters: {}\n", "", parameters);
  }
  return text;
}

}  // namespace futex_bench
