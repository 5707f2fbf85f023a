// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/file_differences.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "futex-bench/report/number_text.h"

namespace futex_bench {

namespace {

struct Comparable {
  std::string_view key;
  /// What follows " (" names a place or counts something, and is not compared.
  bool head_only = false;
};

/// Facts that move the figures of every benchmark. Not the commit: that is what one compares.
constexpr std::array kEnvironment = {
    Comparable{"kernel"},      Comparable{"arch"},
    Comparable{"cpu_model"},   Comparable{"cpus_allowed"},
    Comparable{"smt"},         Comparable{"governor"},
    Comparable{"mitigations"}, Comparable{"cgroup_cpu_quota", true},
    Comparable{"libc"},        Comparable{"compiler"},
    Comparable{"build_type"},  Comparable{"build_flags"},
    Comparable{"sanitizer"},   Comparable{"dma_latency"},
};

std::string field_text(const EnvironmentField* field, bool head_only) {
  if (field == nullptr) return "not recorded";
  const std::string text = one_line(field->text());
  return head_only && field->value ? text.substr(0, text.find(" (")) : text;
}

/// "none" if the run has none.
std::string kernel_label(const RunResult& result) {
  for (const auto& [key, value] : result.tags) {
    if (key == kKernelLabelTag) return one_line(value);
  }
  return "none";
}

}  // namespace

std::vector<Warning> file_differences(const ResultFile& base, const ResultFile& changed) {
  std::vector<Warning> warnings;
  const auto differs = [&](std::string_view id, std::string_view what, const std::string& from,
                           const std::string& to) {
    if (from == to) return;
    warnings.push_back({fmt::format("differs-{}", id),
                        fmt::format("{} differs: {} in {}, {} in {}", what, from,
                                    one_line(base.name), to, one_line(changed.name)),
                        ""});
  };
  const auto incomplete = [&](const ResultFile& file) {
    if (file.result.complete) return;
    warnings.push_back(
        {"incomplete",
         fmt::format("{} is incomplete: not every trial was run", one_line(file.name)),
         "measure again"});
  };
  for (const Comparable& fact : kEnvironment) {
    const EnvironmentField* from = find_field(base.result.environment, fact.key);
    const EnvironmentField* to = find_field(changed.result.environment, fact.key);
    const EnvironmentField* known = from != nullptr ? from : to;
    if (known == nullptr) continue;
    differs(fact.key, one_line(known->label), field_text(from, fact.head_only),
            field_text(to, fact.head_only));
  }
  differs("kernel-label", "--kernel-label", kernel_label(base.result),
          kernel_label(changed.result));
  const double from = base.result.runtime_seconds;
  const double to = changed.result.runtime_seconds;
  const auto form = [](double seconds) {
    return std::string(seconds > 0 ? "a duration" : "a number of iterations");
  };
  differs("duration-form", "what trials run to", form(from), form(to));
  if (from > 0 && to > 0)
    differs("runtime", "time per trial", exact_text(from) + " s", exact_text(to) + " s");
  differs("order", "order of the trials", one_line(base.result.order),
          one_line(changed.result.order));
  incomplete(base);
  incomplete(changed);
  return warnings;
}

}  // namespace futex_bench
