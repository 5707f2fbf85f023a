// SPDX-License-Identifier: GPL-2.0-only
#include "common/futex/parked.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

namespace futex_bench {
namespace {

TEST(TaskState, ReadsTheLetterBehindAnyName) {
  EXPECT_EQ(TaskState::state_of("12 (a b) S 1 2"), 'S');
  EXPECT_EQ(TaskState::state_of("12 (a) R (b) R 1 2"), 'R');
  EXPECT_EQ(TaskState::state_of("12 (a) "), '\0');
  EXPECT_EQ(TaskState::state_of(""), '\0');
}

TEST(TaskState, KnowsWhoSleeps) {
  EXPECT_FALSE(TaskState(getpid(), gettid()).asleep()) << "whoever asks is awake";
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const TaskState state(child, child);
  for (int i = 0; i < 5000 && !state.asleep(); ++i) usleep(1000);
  EXPECT_TRUE(state.asleep());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(state.asleep()) << "it has ended";
  EXPECT_THROW(TaskState(child, child), std::system_error);
}

}  // namespace
}  // namespace futex_bench
