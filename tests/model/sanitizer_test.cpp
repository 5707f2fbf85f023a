// SPDX-License-Identifier: GPL-2.0-only
// Skips all tests of this folder under ThreadSanitizer, which is not told of the fibers and has
// nothing to find in a program of one thread.
#include <gtest/gtest.h>

#include "tests/model/fiber.h"

namespace futex_bench::model {
namespace {

class SkipsWithoutFibers : public ::testing::Environment {
 public:
  void SetUp() override {
    if (!kFibersWork) GTEST_SKIP() << "the explorer's fibers do not work under ThreadSanitizer";
  }
};

const ::testing::Environment* const kEnvironment =
    ::testing::AddGlobalTestEnvironment(new SkipsWithoutFibers);

TEST(Fibers, WorkWhereTestsRun) {
  EXPECT_TRUE(kFibersWork);
  EXPECT_NE(kEnvironment, nullptr);
}

}  // namespace
}  // namespace futex_bench::model
