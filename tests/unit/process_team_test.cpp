// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/process_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/system/shared_memory.h"

namespace futex_bench {
namespace {

using testing::HasSubstr;

class ProcessTeamTest : public testing::Test {
 protected:
  std::atomic<unsigned>& count() { return *static_cast<std::atomic<unsigned>*>(page_.address()); }

  static void expect_no_children() {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

 private:
  Mapping page_{sizeof(std::atomic<unsigned>), Mapping::Kind::kShared};
};

TEST_F(ProcessTeamTest, EveryMemberRunsItsBodyOnceAfterTheGate) {
  ProcessTeam team(5, {}, [this](unsigned index) { count() += 1U << index; });
  EXPECT_EQ(team.pids().size(), 5U);
  EXPECT_EQ(count(), 0U);
  team.open_gate();
  team.join();
  EXPECT_EQ(count(), 31U);
  expect_no_children();
}

TEST_F(ProcessTeamTest, MembersAreProcesses) {
  const pid_t maker = getpid();
  ProcessTeam team(2, {}, [&](unsigned) {
    if (getpid() != maker && getppid() == maker) ++count();
  });
  team.open_gate();
  team.join();
  EXPECT_EQ(count(), 2U);
}

TEST_F(ProcessTeamTest, RunsWhereItShould) {
  const int cpu = sched_getcpu();
  ProcessTeam team(2, {{cpu}, {}}, [&](unsigned index) {
    if (index == 0 && sched_getcpu() == cpu) ++count();
  });
  team.open_gate();
  team.join();
  EXPECT_EQ(count(), 1U);
}

TEST_F(ProcessTeamTest, AProcessorThatIsNotThereIsNamed) {
  try {
    ProcessTeam team(2, {{}, {100'000}}, [](unsigned) {});
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CPU 100000"));
  }
  expect_no_children();
}

TEST_F(ProcessTeamTest, AKilledMemberEndsTheTeam) {
  ProcessTeam team(3, {}, [](unsigned) { pause(); });
  team.open_gate();
  kill(team.pids()[1], SIGKILL);
  try {
    team.join();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "process 2 of 3 was killed by SIGKILL");
  }
  expect_no_children();
}

TEST_F(ProcessTeamTest, AMessageOfAMemberArrives) {
  ProcessTeam team(2, {}, [](unsigned index) {
    if (index == 1) throw std::runtime_error("the pipe is gone");
    pause();
  });
  team.open_gate();
  try {
    team.join();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the pipe is gone");
  }
  expect_no_children();
}

TEST_F(ProcessTeamTest, AMemberThatLeavesByItselfIsNamed) {
  ProcessTeam team(2, {}, [](unsigned index) {
    if (index == 0) _exit(7);
    pause();
  });
  team.open_gate();
  try {
    team.join();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "process 1 of 2 ended early with status 7");
  }
}

TEST_F(ProcessTeamTest, AnUnopenedTeamIsKilled) {
  {
    const ProcessTeam team(3, {}, [this](unsigned) { ++count(); });
  }
  EXPECT_EQ(count(), 0U);
  expect_no_children();
}

/// What this process has open at the other end tells when all members are gone.
TEST_F(ProcessTeamTest, MembersDoNotOutliveTheirMaker) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t maker = fork();
  ASSERT_GE(maker, 0);
  if (maker == 0) {
    ProcessTeam team(3, {}, [](unsigned) { pause(); });
    team.open_gate();
    kill(getpid(), SIGKILL);
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "only ends when nobody has the pipe any more";
  close(ends[0]);
  waitpid(maker, nullptr, 0);
}

TEST_F(ProcessTeamTest, SaysHowManyCouldBeMadeAndLeavesNone) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // The superuser is exempt from the limit, so as somebody that nobody else is.
    const rlimit few{.rlim_cur = 4, .rlim_max = 4};
    if (setrlimit(RLIMIT_NPROC, &few) != 0 || (getuid() == 0 && setuid(54'321) != 0)) _exit(77);
    try {
      const ProcessTeam team(50, {}, [](unsigned) {});
      _exit(1);
    } catch (const ProcessesNotCreated& error) {
      const bool told = std::string(error.what()).find("of 50 processes") != std::string::npos;
      _exit(told && error.created() < 4 && waitpid(-1, nullptr, WNOHANG) == -1 ? 0 : 2);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the limit cannot be lowered here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace futex_bench
