// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/cpu_set.h"

#include <gtest/gtest.h>

namespace futex_bench {
namespace {

TEST(CpuSet, HoldsWhatItWasGivenAndNothingElse) {
  const CpuSet set({3, 0});
  EXPECT_TRUE(CPU_ISSET_S(0, set.bytes(), set.get()));
  EXPECT_TRUE(CPU_ISSET_S(3, set.bytes(), set.get()));
  EXPECT_EQ(CPU_COUNT_S(set.bytes(), set.get()), 2);
}

TEST(CpuSet, GoesBeyondTheProcessorsOfTheFixedMask) {
  const CpuSet set({CPU_SETSIZE + 500});
  EXPECT_GE(set.bytes() * 8, CPU_SETSIZE + 501U);
  EXPECT_TRUE(CPU_ISSET_S(CPU_SETSIZE + 500, set.bytes(), set.get()));
  EXPECT_EQ(CPU_COUNT_S(set.bytes(), set.get()), 1);
}

}  // namespace
}  // namespace futex_bench
