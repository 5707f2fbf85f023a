// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/fake_tree.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;

TEST(TextFile, JoinsRootAndPath) {
  EXPECT_EQ(below("/", "/proc/stat"), "/proc/stat");
  EXPECT_EQ(below("", "/proc/stat"), "/proc/stat");
  EXPECT_EQ(below("/tmp/x/", "/proc/stat"), "/tmp/x/proc/stat");
  EXPECT_EQ(below("/tmp/x", "proc"), "/tmp/x/proc");
}

TEST(TextFile, ReadsAndCutsTheEnd) {
  FakeTree tree;
  tree.write("/a", " one\ntwo \t");
  EXPECT_EQ(read_text(tree.root(), "/a").text, " one\ntwo");
}

TEST(TextFile, ReadsMoreThanOneBuffer) {
  FakeTree tree;
  const std::string text(10000, 'x');
  tree.write("/a", text);
  EXPECT_EQ(read_text(tree.root(), "/a").text, text);
}

TEST(TextFile, SaysWhyThereIsNoText) {
  FakeTree tree;
  tree.write("/empty", " ");
  tree.make_directory("/folder");
  EXPECT_EQ(read_text(tree.root(), "/none").reason, "/none: No such file or directory");
  EXPECT_EQ(read_text(tree.root(), "/empty").reason, "/empty: empty");
  EXPECT_EQ(read_text(tree.root(), "/folder").reason, "/folder: Is a directory");
  EXPECT_FALSE(read_text(tree.root(), "/empty").text);
}

TEST(TextFile, DoesNotHangOnAFifo) {
  FakeTree tree;
  ASSERT_EQ(mkfifo((tree.root() + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(read_text(tree.root(), "/fifo").text);
}

TEST(TextFile, NumbersAreTheWholeText) {
  FakeTree tree;
  tree.write("/n", "-17");
  tree.write("/max", "max");
  EXPECT_EQ(read_number(tree.root(), "/n"), -17);
  EXPECT_EQ(read_number(tree.root(), "/max"), std::nullopt);
  EXPECT_EQ(read_number(tree.root(), "/none"), std::nullopt);
  EXPECT_EQ(to_number("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(to_number("9223372036854775808"), std::nullopt);
  EXPECT_EQ(to_number("1 2"), std::nullopt);
  EXPECT_EQ(to_number(""), std::nullopt);
}

TEST(TextFile, SplitsAndTrims) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_EQ(trim(" \ta b\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(TextFile, ListsDirectoriesSorted) {
  FakeTree tree;
  tree.write("/d/b", "");
  tree.write("/d/a", "");
  EXPECT_THAT(list_directory(tree.root(), "/d"), ElementsAre("a", "b"));
  EXPECT_THAT(list_directory(tree.root(), "/none"), ElementsAre());
}

}  // namespace
}  // namespace futex_bench
