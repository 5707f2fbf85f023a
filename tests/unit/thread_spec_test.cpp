// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/thread_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/system/error.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ThreadSpec, DefaultIsTheClassicalLadder) {
  EXPECT_THAT(parse_threads("1-1024"),
              ElementsAre(1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 256, 512, 1024));
}

TEST(ThreadSpec, ShortRangesAreEveryNumber) {
  EXPECT_THAT(parse_threads("1-8"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(parse_threads("1-16"),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
  EXPECT_THAT(parse_threads("100-103"), ElementsAre(100, 101, 102, 103));
}

TEST(ThreadSpec, LongRangesKeepBothEnds) {
  EXPECT_THAT(parse_threads("1-17"), ElementsAre(1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 17));
  EXPECT_THAT(parse_threads("7-100"), ElementsAre(7, 8, 10, 12, 16, 24, 32, 64, 100));
  EXPECT_THAT(parse_threads("33-63"), ElementsAre(33, 63));
  EXPECT_THAT(parse_threads("1000-9000"), ElementsAre(1000, 1024, 2048, 4096, 8192, 9000));
  EXPECT_THAT(parse_threads("32768-65536"), ElementsAre(32768, 65536));
}

TEST(ThreadSpec, StepsAreTakenAsWritten) {
  EXPECT_THAT(parse_threads("1-64:8"), ElementsAre(1, 9, 17, 25, 33, 41, 49, 57));
  EXPECT_THAT(parse_threads("1-64:x2"), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(parse_threads("1-20:1").size(), 20);
}

TEST(ThreadSpec, ListsAreSorted) {
  EXPECT_THAT(parse_threads("64,1-3,20"), ElementsAre(1, 2, 3, 20, 64));
  EXPECT_THAT(parse_threads("1-32,7"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32));
}

TEST(ThreadSpec, RefusesWhatIsNoThreadCount) {
  for (const char* text :
       {"0",       "-1",    "5-1",    "1-",    "-",      "1,,2",      "99999999999", "nan",
        "inf",     "1e400", "0x10",   " 7",    "",       "1.5",       "010",         "65537",
        "1-65537", "2,2",   "1-32,8", "1-8:0", "1-8:x1", "4294967297"}) {
    try {
      parse_threads(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'" + std::string(text) + "'"));
    }
  }
}

}  // namespace
}  // namespace futex_bench
