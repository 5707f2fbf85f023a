// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/trial.h"

#include <gtest/gtest.h>

#include <string>

namespace futex_bench {
namespace {

TEST(TrialControl, FailKeepsTheMessage) {
  TrialControl control;
  control.fail("created 3 of 4 threads");
  EXPECT_EQ(control.phase.load(), TrialPhase::kFailed);
  EXPECT_STREQ(control.message, "created 3 of 4 threads");
}

TEST(TrialControl, ALongMessageIsCutToFit) {
  TrialControl control;
  control.fail(std::string(10'000, 'x'));
  EXPECT_EQ(std::string(control.message), std::string(sizeof control.message - 1, 'x'));
}

}  // namespace
}  // namespace futex_bench
