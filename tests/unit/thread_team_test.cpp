// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/thread_team.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <vector>

#include "common/system/sanitizer.h"
#include "common/system/topology.h"

namespace futex_bench {
namespace {

TEST(ThreadTeam, NobodyRunsBeforeTheGateOpensAndEverybodyAfter) {
  constexpr unsigned kThreads = 100;
  std::vector<std::atomic<int>> runs(kThreads);
  ThreadTeam team(kThreads, {}, [&](unsigned index) { ++runs[index]; });
  for (int look = 0; look < 20; ++look) {
    sched_yield();
    for (const auto& count : runs) ASSERT_EQ(count.load(), 0);
  }
  team.open_gate();
  team.join();
  for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
}

TEST(ThreadTeam, AnUnusedTeamEnds) {
  std::atomic<int> runs{0};
  {
    const ThreadTeam team(3, {}, [&](unsigned) { ++runs; });
  }
  EXPECT_EQ(runs.load(), 3);
}

TEST(ThreadTeam, RunsWhereItIsTold) {
  const std::vector<int> allowed = allowed_cpus();
  std::vector<std::vector<int>> cpus;
  for (unsigned i = 0; i < 4; ++i) cpus.push_back({allowed[i % allowed.size()]});
  std::vector<std::vector<int>> seen(4);
  ThreadTeam team(4, cpus, [&](unsigned index) { seen[index] = allowed_cpus(); });
  team.open_gate();
  team.join();
  EXPECT_EQ(seen, cpus);
}

TEST(ThreadTeam, SaysWhichProcessorIsNotThere) {
  try {
    const ThreadTeam team(2, {{allowed_cpus().front()}, {100'000}}, [](unsigned) {});
    FAIL() << "no exception";
  } catch (const ThreadsNotCreated& error) {
    EXPECT_EQ(error.created(), 1U);
    EXPECT_EQ(error.code(), EINVAL);
    EXPECT_STREQ(error.what(), "created 1 of 2 threads: Invalid argument");  // no limit's fault
  }
}

// In a child, because a limit cannot be raised again by everybody.
TEST(ThreadTeam, JoinsWhatItHasWhenTheRestCannotBeMade) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers map terabytes, so the address space cannot be limited";
  }
  const pid_t child = fork();
  if (child == 0) {
    long pages = 0;
    std::FILE* const statm = std::fopen("/proc/self/statm", "r");
    if (statm == nullptr || std::fscanf(statm, "%ld", &pages) != 1) _exit(3);
    std::fclose(statm);
    // What is mapped now, and about forty stacks.
    const auto limit =
        static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + 40 * ThreadTeam::kStackBytes;
    const rlimit address_space{limit, limit};
    setrlimit(RLIMIT_AS, &address_space);
    std::atomic<unsigned> ran{0};
    try {
      const ThreadTeam team(1000, {}, [&](unsigned) { ++ran; });
      _exit(1);
    } catch (const ThreadsNotCreated& error) {
      // glibc keeps up to 40 MiB of stacks of threads that have ended.
      const bool midway = error.created() > 5 && error.created() < 1000;
      const bool named = std::string_view(error.what()).find("RLIMIT_AS=") != std::string::npos;
      _exit(midway && named && error.code() == EAGAIN && ran == 0 ? 0 : 2);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace futex_bench
