// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace futex_bench {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, ReadsNumbersAndRanges) {
  EXPECT_EQ(parse_cpu_list("0"), Cpus({0}));
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), Cpus({0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("1023-1025"), Cpus({1023, 1024, 1025}));
}

TEST(CpuList, ReadsGroups) {
  EXPECT_EQ(parse_cpu_list("16-31:2/4"), Cpus({16, 17, 20, 21, 24, 25, 28, 29}));
  EXPECT_EQ(parse_cpu_list("0-4:1/2"), Cpus({0, 2, 4}));
  EXPECT_EQ(parse_cpu_list("0-3:0/2"), Cpus());
}

TEST(CpuList, SortsAndRemovesRepeats) {
  EXPECT_EQ(parse_cpu_list("8,0-2,1-3,8"), Cpus({0, 1, 2, 3, 8}));
}

TEST(CpuList, AnEmptyLineIsTheEmptyList) {
  EXPECT_EQ(parse_cpu_list(""), Cpus());
  EXPECT_EQ(parse_cpu_list(" \n"), Cpus());
}

class CpuListRefuses : public ::testing::TestWithParam<const char*> {};

TEST_P(CpuListRefuses, MalformedText) { EXPECT_EQ(parse_cpu_list(GetParam()), std::nullopt); }

INSTANTIATE_TEST_SUITE_P(CpuList, CpuListRefuses,
                         ::testing::Values("a", "-1", "1-", "-", "3-1", "1,,2", "1,", ",1", "1 2",
                                           "0x1", "+1", "1-2-3", "0-3:2", "0-3:2/", "0-3:/2",
                                           "0-3:3/2", "0-3:1/0", "0-3:1/2x", "5:1/2", "1048576",
                                           "99999999999", "0-99999999999"));

TEST(CpuList, AcceptsTheHighestNumber) { EXPECT_EQ(parse_cpu_list("1048575"), Cpus({kMaxCpuId})); }

TEST(CpuList, WritesRanges) {
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({5}), "5");
  EXPECT_EQ(format_cpu_list({0, 1}), "0-1");
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_cpu_list({0, 2, 4, 5}), "0,2,4-5");
}

TEST(CpuList, KeepsTheOrderGiven) {
  EXPECT_EQ(format_cpu_list({1, 0}), "1,0");
  EXPECT_EQ(format_cpu_list({8, 0, 1, 2}), "8,0-2");
}

TEST(CpuList, ReadsBackWhatItWrites) {
  Cpus cpus;
  for (int cpu = 0; cpu < 1500; ++cpu) {
    if (cpu % 7 != 3) cpus.push_back(cpu);
  }
  EXPECT_EQ(parse_cpu_list(format_cpu_list(cpus)), cpus);
}

}  // namespace
}  // namespace futex_bench
