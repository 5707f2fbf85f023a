// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A team of threads that start together.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "common/futex/futex.h"
#include "common/system/sanitizer.h"

namespace futex_bench {

/// Not all threads could be made. Those that were have been joined again. what() names the limits that
/// may be to blame.
class ThreadsNotCreated : public std::runtime_error {
 public:
  ThreadsNotCreated(unsigned created, unsigned wanted, int code);
  unsigned created() const { return created_; }
  /// What pthread_create returned: EAGAIN for a limit or lack of memory, EINVAL for a processor
  /// that has gone.
  int code() const { return code_; }

 private:
  unsigned created_;
  int code_;
};

/// N threads that exist and sleep on one futex until the gate is opened. Sleeping, because threads
/// that poll would fight the creator for the processors.
class ThreadTeam {
 public:
  /// Enough for a loop and a signal frame; 1024 of glibc's default 8 MiB stacks would hit address
  /// space limits. Sanitizers need more for their own frames.
  static constexpr std::size_t kStackBytes =
      kAddressSanitizer || kThreadSanitizer ? 1024UL * 1024 : 64UL * 1024;

  /// Creates `threads` threads; thread i may run on cpus[i], or anywhere if cpus[i] is empty or
  /// cpus itself is. Returns when all of them have reached the gate. Throws ThreadsNotCreated.
  ThreadTeam(unsigned threads, const std::vector<std::vector<int>>& cpus,
             std::function<void(unsigned)> body);

  /// Opens the gate if that has not happened, and joins: whatever makes the bodies end must have
  /// been done before.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Lets all threads run their body.
  void open_gate();

  /// Waits until every body has returned.
  void join();

 private:
  enum Gate : std::uint32_t { kClosed, kOpen, kAbandoned };
  struct Member {
    ThreadTeam* team;
    unsigned index;
  };

  static void* entry(void* argument);
  void set_gate(Gate value);
  void wait_until_all_arrived();
  int create(unsigned index, const std::vector<int>& cpus, pthread_attr_t& attributes);

  std::function<void(unsigned)> body_;
  std::uint32_t expected_;
  std::vector<Member> members_;
  std::vector<pthread_t> threads_;
  FutexWord gate_{kClosed};
  FutexWord arrived_{0};
};

}  // namespace futex_bench
