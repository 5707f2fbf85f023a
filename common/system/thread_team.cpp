// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/thread_team.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "common/system/cpu_set.h"
#include "common/system/error.h"
#include "common/system/limits.h"

namespace futex_bench {
namespace {

/// Returns 0 or an error, as pthread functions do: who calls has threads to wait for.
int set_affinity(pthread_attr_t& attributes, const std::vector<int>& cpus) {
  try {
    const CpuSet set(cpus);
    return pthread_attr_setaffinity_np(&attributes, set.bytes(), set.get());
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

/// With the limits, if it may have been one of them.
std::string failed_create(unsigned created, unsigned wanted, int code) {
  std::string text = "created " + std::to_string(created) + " of " + std::to_string(wanted) +
                     " threads: " + std::generic_category().message(code);
  if (code == EAGAIN || code == ENOMEM) {
    text += "; " + limits_in_words(wanted, ThreadTeam::kStackBytes);
  }
  return text;
}

}  // namespace

ThreadsNotCreated::ThreadsNotCreated(unsigned created, unsigned wanted, int code)
    : std::runtime_error(failed_create(created, wanted, code)), created_(created), code_(code) {}

ThreadTeam::ThreadTeam(unsigned threads, const std::vector<std::vector<int>>& cpus,
                       std::function<void(unsigned)> body)
    : body_(std::move(body)), expected_(threads) {
  members_.reserve(threads);  // threads keep pointers into it
  threads_.reserve(threads);
  pthread_attr_t attributes;
  check_pthread(pthread_attr_init(&attributes), "pthread_attr_init");
  const std::unique_ptr<pthread_attr_t, int (*)(pthread_attr_t*)> guard(&attributes,
                                                                        pthread_attr_destroy);
  // Some architectures demand more than we need.
  const auto smallest = static_cast<std::size_t>(std::max(0L, sysconf(_SC_THREAD_STACK_MIN)));
  check_pthread(pthread_attr_setstacksize(&attributes, std::max(kStackBytes, smallest)),
                "pthread_attr_setstacksize");
  for (unsigned index = 0; index < threads; ++index) {
    const int code = create(index, cpus.empty() ? std::vector<int>{} : cpus[index], attributes);
    if (code != 0) {
      set_gate(kAbandoned);
      join();
      throw ThreadsNotCreated(index, threads, code);
    }
  }
  wait_until_all_arrived();
}

ThreadTeam::~ThreadTeam() {
  if (gate_.load(std::memory_order_relaxed) == kClosed) open_gate();
  join();
}

int ThreadTeam::create(unsigned index, const std::vector<int>& cpus, pthread_attr_t& attributes) {
  if (!cpus.empty()) {
    const int code = set_affinity(attributes, cpus);
    if (code != 0) return code;
  }
  members_.push_back({this, index});
  pthread_t thread{};
  const int code = pthread_create(&thread, &attributes, entry, &members_.back());
  if (code == 0) threads_.push_back(thread);
  return code;
}

void* ThreadTeam::entry(void* argument) {
  const Member& member = *static_cast<Member*>(argument);
  ThreadTeam& team = *member.team;
  if (team.arrived_.fetch_add(1, std::memory_order_release) + 1 == team.expected_) {
    futex_wake(&team.arrived_, 1, FutexScope::kPrivate);
  }
  // Acquire pairs with set_gate: what the opener prepared is visible to the body.
  while (team.gate_.load(std::memory_order_acquire) == kClosed) {
    futex_wait(team.gate_, kClosed, FutexScope::kPrivate);
  }
  if (team.gate_.load(std::memory_order_relaxed) == kOpen) team.body_(member.index);
  return nullptr;
}

void ThreadTeam::wait_until_all_arrived() {
  for (;;) {
    const std::uint32_t arrived = arrived_.load(std::memory_order_acquire);
    if (arrived == expected_) return;
    futex_wait(arrived_, arrived, FutexScope::kPrivate);
  }
}

void ThreadTeam::set_gate(Gate value) {
  gate_.store(value, std::memory_order_release);
  futex_wake(&gate_, kWakeAll, FutexScope::kPrivate);
}

void ThreadTeam::open_gate() { set_gate(kOpen); }

void ThreadTeam::join() {
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  threads_.clear();
}

}  // namespace futex_bench
