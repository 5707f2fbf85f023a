// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "common/system/text_file.h"

namespace futex_bench {
namespace {

/// A thread's stack and its guard are two mappings.
constexpr std::uint64_t kMapsPerThread = 2;
/// Mappings of the program itself and its libraries, with room.
constexpr std::uint64_t kMapsOfProgram = 128;

template <class Resource>
std::optional<std::uint64_t> soft_limit(Resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::optional<std::uint64_t> count_in(const std::string& root, const std::string& path) {
  const std::optional<std::int64_t> number = read_number(root, path);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// The first word after "name:" in /proc/self/status.
std::string_view status_word(std::string_view status, std::string_view name) {
  for (const std::string_view line : split(status, '\n')) {
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    const std::string_view rest = trim(line.substr(name.size() + 1));
    return rest.substr(0, rest.find_first_of(" \t"));
  }
  return {};
}

/// copy_process() in kernel/fork.c lets the first user and holders of two capabilities pass, but
/// only those of the initial user namespace, where every id stands for itself.
bool nproc_applies(const std::string& root, std::string_view status) {
  constexpr unsigned kCapSysAdmin = 21;
  constexpr unsigned kCapSysResource = 24;
  if (const FileText map = read_text(root, "/proc/self/uid_map"); map.text) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(*map.text, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    if (words != std::vector<std::string_view>{"0", "0", "4294967295"}) return true;
  }
  if (status_word(status, "Uid") == "0") return false;
  const std::string_view hex = status_word(status, "CapEff");
  std::uint64_t capabilities = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), capabilities, 16);
  return (capabilities & (1ULL << kCapSysAdmin | 1ULL << kCapSysResource)) == 0;
}

/// The number of tasks in "0.20 0.18 0.12 1/80 11206".
std::optional<std::uint64_t> tasks_in_loadavg(const std::string& root) {
  const FileText file = read_text(root, "/proc/loadavg");
  if (!file.text) return std::nullopt;
  const std::size_t slash = file.text->find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(*file.text).substr(slash + 1);
  const std::optional<std::int64_t> tasks = to_number(rest.substr(0, rest.find(' ')));
  if (!tasks || *tasks < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*tasks);
}

std::string with_use(std::string_view name, std::uint64_t limit, std::uint64_t in_use) {
  return fmt::format("{}={} (in use {})", name, limit, in_use);
}

}  // namespace

ThreadLimits read_thread_limits(const std::string& root) {
  const std::string status = read_text(root, "/proc/self/status").text.value_or("");
  ThreadLimits limits;
  limits.nproc = soft_limit(RLIMIT_NPROC);
  limits.nproc_applies = nproc_applies(root, status);
  limits.pids = read_cgroup_pids(root).limit;
  limits.threads_max = count_in(root, "/proc/sys/kernel/threads-max");
  limits.pid_max = count_in(root, "/proc/sys/kernel/pid_max");
  limits.tasks_now = tasks_in_loadavg(root);
  limits.max_map_count = count_in(root, "/proc/sys/vm/max_map_count");
  limits.address_space = soft_limit(RLIMIT_AS);
  if (const auto kib = to_number(status_word(status, "VmSize")); kib && *kib > 0) {
    limits.address_space_used = static_cast<std::uint64_t>(*kib) * 1024;
  }
  return limits;
}

std::string describe(const ThreadLimits& limits) {
  std::vector<std::string> parts;
  if (limits.nproc) {
    parts.push_back(fmt::format("RLIMIT_NPROC={}{}", *limits.nproc,
                                limits.nproc_applies ? "" : " (not applied to the superuser)"));
  }
  if (limits.pids) parts.push_back(with_use("pids.max", limits.pids->max, limits.pids->current));
  if (limits.threads_max) parts.push_back(fmt::format("threads-max={}", *limits.threads_max));
  if (limits.pid_max) parts.push_back(fmt::format("pid_max={}", *limits.pid_max));
  if (limits.max_map_count) parts.push_back(fmt::format("max_map_count={}", *limits.max_map_count));
  if (limits.address_space) parts.push_back(fmt::format("RLIMIT_AS={}", *limits.address_space));
  if (parts.empty()) return "none known";
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<std::string> limit_below(unsigned tasks, const ThreadLimits& limits,
                                       std::size_t stack_bytes) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& limit) {
    found.push_back(fmt::format("{}, needed: {} more", limit, tasks));
  };
  // The user's other tasks are not counted anywhere cheap to read; this one is certain.
  if (limits.nproc && limits.nproc_applies && *limits.nproc < 1ULL + tasks) {
    add(fmt::format("RLIMIT_NPROC={}", *limits.nproc));
  }
  if (limits.pids && limits.pids->max < limits.pids->current + tasks) {
    add(with_use("pids.max", limits.pids->max, limits.pids->current) + " in " +
        limits.pids->directory);
  }
  const std::uint64_t tasks_now = limits.tasks_now.value_or(1);
  if (limits.threads_max && *limits.threads_max < tasks_now + tasks) {
    add(with_use("threads-max", *limits.threads_max, tasks_now));
  }
  if (limits.pid_max && *limits.pid_max < tasks_now + tasks) {
    add(with_use("pid_max", *limits.pid_max, tasks_now));
  }
  const std::uint64_t maps = kMapsOfProgram + kMapsPerThread * tasks;
  if (stack_bytes != 0 && limits.max_map_count && *limits.max_map_count < maps) {
    found.push_back(fmt::format("max_map_count={}, needed: {} for {} stacks with guards",
                                *limits.max_map_count, maps, tasks));
  }
  const std::uint64_t stacks = static_cast<std::uint64_t>(stack_bytes) * tasks;
  if (stacks != 0 && limits.address_space &&
      *limits.address_space < limits.address_space_used + stacks) {
    found.push_back(fmt::format(
        "{}, needed: {} more bytes for {} stacks",
        with_use("RLIMIT_AS", *limits.address_space, limits.address_space_used), stacks, tasks));
  }
  if (found.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(found, "; "));
}

std::string limits_in_words(unsigned tasks, std::size_t stack_bytes) {
  const ThreadLimits limits = read_thread_limits("/");
  return limit_below(tasks, limits, stack_bytes).value_or(describe(limits));
}

}  // namespace futex_bench
