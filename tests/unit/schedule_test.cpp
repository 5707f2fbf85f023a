// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/schedule.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "common/system/error.h"

namespace futex_bench {
namespace {

/// Whether `what` holds in a child, where it may change how the caller runs.
bool holds_in_child(const std::function<bool()>& what) {
  const pid_t child = fork();
  if (child == 0) _exit(what() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(SchedulingPolicy, IsParsedStrictly) {
  EXPECT_FALSE(parse_scheduling_policy("other").is_real_time());
  EXPECT_TRUE(parse_scheduling_policy("fifo:80").is_real_time());
  EXPECT_EQ(parse_scheduling_policy("fifo:80").priority, 80);
  for (const char* const text : {"other", "batch", "idle", "fifo:80", "rr:1"}) {
    EXPECT_EQ(parse_scheduling_policy(text).to_string(), text);
  }
  EXPECT_EQ(SchedulingPolicy().to_string(), "");
  for (const char* bad :
       {"", "fifo", "fifo:", "fifo:0", "fifo:100", "rr", "fifo:-1", "batch:1", "other:"}) {
    EXPECT_THROW(parse_scheduling_policy(bad), UsageError) << bad;
  }
}

TEST(SchedulingPolicy, IsApplied) {
  EXPECT_TRUE(holds_in_child([] {
    apply_policy(parse_scheduling_policy("batch"));
    return sched_getscheduler(0) == SCHED_BATCH;
  }));
  EXPECT_TRUE(holds_in_child([] {
    const int before = sched_getscheduler(0);
    apply_policy({});
    return sched_getscheduler(0) == before;
  }));
}

TEST(SchedulingPolicy, ARefusalIsFoundWithoutChangingTheCaller) {
  const int before = sched_getscheduler(0);
  EXPECT_FALSE(policy_refused({}));
  EXPECT_FALSE(policy_refused(parse_scheduling_policy("batch")));
  EXPECT_EQ(sched_getscheduler(0), before);
  // A priority that no policy has stands for a right that is missing.
  const auto why = policy_refused({.policy = SCHED_FIFO, .priority = 1000});
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("EINVAL"), std::string::npos) << *why;
}

TEST(TimerSlack, IsTheSmallest) {
  EXPECT_TRUE(holds_in_child([] {
    set_smallest_timer_slack();
    return prctl(PR_GET_TIMERSLACK) == 1;
  }));
}

}  // namespace
}  // namespace futex_bench
