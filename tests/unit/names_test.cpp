// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/names.h"

#include <gtest/gtest.h>

namespace futex_bench {
namespace {

const std::vector<std::string> kModes{"wait", "spin", "ticket", "adaptive", "pthread", "mcs"};

TEST(EditDistance, CountsSingleChanges) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("wait", "wait"), 0u);
  EXPECT_EQ(edit_distance("", "wait"), 4u);
  EXPECT_EQ(edit_distance("wait", ""), 4u);
  EXPECT_EQ(edit_distance("wat", "wait"), 1u);
  EXPECT_EQ(edit_distance("waits", "wait"), 1u);
  EXPECT_EQ(edit_distance("want", "wait"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, ASwapIsOneChange) {
  EXPECT_EQ(edit_distance("wiat", "wait"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // a swapped pair is not edited again
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(NearestName, FindsTheMistyped) {
  EXPECT_EQ(nearest_name("wiat", kModes), "wait");
  EXPECT_EQ(nearest_name("tikcet", kModes), "ticket");
  EXPECT_EQ(nearest_name("adaptiv", kModes), "adaptive");
  EXPECT_EQ(nearest_name("mc5", kModes), "mcs");
  EXPECT_EQ(nearest_name("wait", kModes), "wait");
}

TEST(NearestName, PrefersTheNearerAndThenTheFirst) {
  EXPECT_EQ(nearest_name("pthraed", {"pthreads", "pthread"}), "pthread");
  EXPECT_EQ(nearest_name("abcx", {"abcd", "abce"}), "abcd");
}

TEST(NearestName, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_name("foobar", kModes), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest_name("", kModes), std::nullopt);
  EXPECT_EQ(nearest_name("wiat", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'a'), kModes), std::nullopt);
}

TEST(UnknownName, SuggestsOrLists) {
  EXPECT_EQ(unknown_name("mode", "wiat", kModes), "unknown mode 'wiat' (did you mean 'wait'?)");
  EXPECT_EQ(unknown_name("mode", "foobar", {"wait", "spin"}),
            "unknown mode 'foobar'; there are wait, spin");
  EXPECT_EQ(unknown_name("mode", "a\nb", {"wait"}), "unknown mode 'a\\x0ab'; there are wait");
}

}  // namespace
}  // namespace futex_bench
