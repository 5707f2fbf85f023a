// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/environment.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "common/system/cgroup.h"
#include "common/system/limits.h"

// String literals from the Makefile: build type, compiler flags, commit.
#ifndef FUTEX_BENCH_BUILD
#define FUTEX_BENCH_BUILD "unknown"
#endif
#ifndef FUTEX_BENCH_CXXFLAGS
#define FUTEX_BENCH_CXXFLAGS "unknown"
#endif
#ifndef FUTEX_BENCH_COMMIT
#define FUTEX_BENCH_COMMIT "unknown"
#endif

// __has_feature is clang's; g++ defines __SANITIZE_* instead.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace futex_bench {
namespace {

std::string errno_text(const char* operation) {
  return std::string(operation) + ": " + std::generic_category().message(errno);
}

void add_cgroups(const std::string& root, EnvironmentFields& fields) {
  const CgroupCpu cpu = read_cgroup_cpu(root);
  const auto quota = [&fields](std::string text) {
    fields.value("cgroup_cpu_quota", "cgroup CPU quota", std::move(text));
  };
  const auto throttled = [&fields](std::string text) {
    fields.value("cgroup_throttled", "cgroup throttling", std::move(text));
  };
  if (!cpu.reason.empty()) {
    fields.unknown("cgroup_cpu_quota", "cgroup CPU quota", cpu.reason);
  } else if (!cpu.quota) {
    quota("none");
  } else {
    quota(fmt::format("{:.2f} CPUs ({} us in {} us, {})", cpu.quota->cpus(), cpu.quota->quota_us,
                      cpu.quota->period_us, cpu.quota->directory));
  }
  if (cpu.throttling) {
    throttled(fmt::format("{} periods, {} us since the groups exist", cpu.throttling->periods,
                          cpu.throttling->time_us));
  } else {
    fields.unknown("cgroup_throttled", "cgroup throttling",
                   cpu.reason.empty() ? "no cpu.stat with throttling counters" : cpu.reason);
  }
  CgroupCpuset cpuset = read_cgroup_cpuset(root);
  fields.file_text("cgroup_cpuset", "cgroup CPUs", {std::move(cpuset.cpus), cpuset.reason});
}

void add_own_policy(EnvironmentFields& fields) {
  const int policy = sched_getscheduler(0);
  if (policy < 0) {
    fields.unknown("sched_policy", "scheduling policy", errno_text("sched_getscheduler"));
    return;
  }
  sched_param parameters{};
  sched_getparam(0, &parameters);
  const char* name = "policy";
  switch (policy & ~SCHED_RESET_ON_FORK) {
    case SCHED_OTHER:
      name = "SCHED_OTHER";
      break;
    case SCHED_BATCH:
      name = "SCHED_BATCH";
      break;
    case SCHED_IDLE:
      name = "SCHED_IDLE";
      break;
    case SCHED_FIFO:
      name = "SCHED_FIFO";
      break;
    case SCHED_RR:
      name = "SCHED_RR";
      break;
    default:
      break;
  }
  // -1 is a nice value too, so errno alone tells a failure; with 0 for "this process" there is
  // none.
  fields.value("sched_policy", "scheduling policy",
               fmt::format("{} ({}), priority {}, nice {}", name, policy, parameters.sched_priority,
                           getpriority(PRIO_PROCESS, 0)));
}

void add_futex_hash(EnvironmentFields& fields) {
  // Not in the headers of 2023; linux/prctl.h since Linux 6.16.
  constexpr int kPrFutexHash = 78;
  constexpr unsigned long kGetSlots = 2;
  const int slots = prctl(kPrFutexHash, kGetSlots, 0UL, 0UL, 0UL);
  if (slots < 0) {
    fields.unknown("futex_hash_slots", "futex hash slots", errno_text("prctl(PR_FUTEX_HASH)"));
  } else {
    fields.value("futex_hash_slots", "futex hash slots",
                 slots == 0 ? "0 (global hash; a private one may come with the first thread)"
                            : std::to_string(slots));
  }
}

template <class Resource>
void add_limit(EnvironmentFields& fields, const char* key, const char* label, Resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) {
    fields.unknown(key, label, errno_text("getrlimit"));
  } else {
    fields.value(key, label,
                 limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur));
  }
}

/// "[madvise]" out of "always [madvise] never".
FileText chosen(FileText file) {
  if (!file.text) return file;
  const std::size_t open = file.text->find('[');
  const std::size_t close = file.text->find(']', open);
  if (open == std::string::npos || close == std::string::npos) return file;
  return {file.text->substr(open + 1, close - open - 1), ""};
}

void add_aslr(const std::string& root, EnvironmentFields& fields) {
  FileText setting = read_text(root, "/proc/sys/kernel/randomize_va_space");
  const int own = personality(0xffffffff);  // this value only asks
  if (setting.text && own >= 0 && (own & ADDR_NO_RANDOMIZE) != 0) {
    *setting.text += " (off for this process)";
  }
  fields.file_text("aslr", "address randomisation", std::move(setting));
}

void add_macro(EnvironmentFields& fields, const char* key, const char* label, std::string text) {
  if (text.empty() || text == "unknown") {
    fields.unknown(key, label, "not recorded when the program was built");
  } else {
    fields.value(key, label, std::move(text));
  }
}

}  // namespace

void EnvironmentFields::value(std::string key, std::string label, std::string value) {
  if (value.empty()) {
    unknown(std::move(key), std::move(label), "empty");
  } else {
    fields_.push_back({std::move(key), std::move(label), std::move(value), ""});
  }
}

void EnvironmentFields::unknown(std::string key, std::string label, std::string reason) {
  fields_.push_back({std::move(key), std::move(label), std::nullopt, std::move(reason)});
}

void EnvironmentFields::file_text(std::string key, std::string label, FileText text) {
  if (text.text) {
    value(std::move(key), std::move(label), *std::move(text.text));
  } else {
    unknown(std::move(key), std::move(label), std::move(text.reason));
  }
}

std::vector<EnvironmentField> system_environment(const std::string& root) {
  EnvironmentFields fields;
  const auto file = [&](const char* key, const char* label, const char* path) {
    fields.file_text(key, label, read_text(root, path));
  };
  file("loadavg", "load average", "/proc/loadavg");
  FileText pressure = read_text(root, "/proc/pressure/cpu");
  if (pressure.text)
    pressure.text->resize(std::min(pressure.text->find('\n'), pressure.text->size()));
  fields.file_text("psi_cpu", "CPU pressure (PSI)", std::move(pressure));
  add_cgroups(root, fields);
  fields.value("thread_limits", "limits on threads", describe(read_thread_limits(root)));
  add_own_policy(fields);
  file("sched_autogroup", "scheduler autogroup", "/proc/sys/kernel/sched_autogroup_enabled");
  file("sched_rt_runtime_us", "RT runtime (us)", "/proc/sys/kernel/sched_rt_runtime_us");
  file("sched_ext", "sched_ext", "/sys/kernel/sched_ext/state");
  file("numa_balancing", "NUMA balancing", "/proc/sys/kernel/numa_balancing");
  if (const int slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL); slack >= 0) {
    fields.value("timer_slack_ns", "timer slack (ns)", std::to_string(slack));
  } else {
    fields.unknown("timer_slack_ns", "timer slack (ns)", errno_text("prctl(PR_GET_TIMERSLACK)"));
  }
  add_futex_hash(fields);
  fields.file_text("transparent_hugepages", "transparent huge pages",
                   chosen(read_text(root, "/sys/kernel/mm/transparent_hugepage/enabled")));
  add_aslr(root, fields);
  file("perf_event_paranoid", "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
  add_limit(fields, "memlock_limit", "RLIMIT_MEMLOCK (bytes)", RLIMIT_MEMLOCK);
  add_limit(fields, "rtprio_limit", "RLIMIT_RTPRIO", RLIMIT_RTPRIO);
  return fields.take();
}

std::vector<EnvironmentField> build_environment() {
  EnvironmentFields fields;
  fields.value("libc", "C library", fmt::format("glibc {}", gnu_get_libc_version()));
#ifdef __clang__
  fields.value("compiler", "compiler", "clang " __clang_version__);
#else
  fields.value("compiler", "compiler", "g++ " __VERSION__);
#endif
  add_macro(fields, "build_type", "build type", FUTEX_BENCH_BUILD);
  add_macro(fields, "build_flags", "compiler flags", FUTEX_BENCH_CXXFLAGS);
  add_macro(fields, "commit", "commit", FUTEX_BENCH_COMMIT);
#ifdef NDEBUG
  fields.value("assertions", "assertions", "off");
#else
  fields.value("assertions", "assertions", "on");
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  fields.value("sanitizer", "sanitizer", "address");
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
  fields.value("sanitizer", "sanitizer", "thread");
#elif __has_feature(memory_sanitizer)
  fields.value("sanitizer", "sanitizer", "memory");
#elif __has_feature(undefined_behavior_sanitizer)
  fields.value("sanitizer", "sanitizer", "undefined");
#else
  fields.value("sanitizer", "sanitizer", "none");
#endif
  return fields.take();
}

std::vector<EnvironmentField> capture_environment(const std::string& root,
                                                  const Topology& topology) {
  std::vector<EnvironmentField> all = kernel_environment(root);
  const auto append = [&all](std::vector<EnvironmentField> part) {
    std::move(part.begin(), part.end(), std::back_inserter(all));
  };
  append(cpu_environment(root, topology));
  append(system_environment(root));
  append(build_environment());
  return all;
}

}  // namespace futex_bench
