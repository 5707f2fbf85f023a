// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/lock_table.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <system_error>

namespace futex_bench {
namespace {

TEST(LockTable, EveryLockIsFoundByItsName) {
  for (const LockEntry& lock : lock_table()) EXPECT_EQ(find_lock(lock.name), &lock);
  EXPECT_EQ(find_lock("wiat"), nullptr);
  EXPECT_EQ(find_lock(""), nullptr);
}

TEST(LockTable, HasTheModesThatScriptsRelyOn) {
  for (const char* name :
       {"wait", "wait-xchg", "setwait", "setwait-lite", "spin", "spin-yield", "adaptive", "null",
        "pthread", "pthread-adaptive", "std", "absl", "nsync"}) {
    EXPECT_NE(find_lock(name), nullptr) << name;
  }
}

TEST(LockTable, NamesAndTextsHaveTheHouseForm) {
  for (const LockEntry& lock : lock_table()) {
    for (const char c : lock.name) {
      EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-')
          << lock.name;
    }
    EXPECT_FALSE(lock.summary.empty()) << lock.name;
    EXPECT_NE(lock.summary.back(), '.') << lock.name;
    EXPECT_FALSE(lock.source.empty()) << lock.name;
    EXPECT_TRUE(lock.traits.parks == false || lock.traits.needs.has_value()) << lock.name;
  }
}

TEST(LockTable, ALockThatIsNotBuiltInCannotBeMade) {
  for (const LockEntry& lock : lock_table()) {
    if (lock.traits.not_built_in.empty()) continue;
    alignas(kCacheLine) unsigned char memory[kCacheLine];
    ASSERT_LE(lock.size, sizeof memory);
    EXPECT_THROW(lock.construct(memory, {}), std::system_error) << lock.name;
    EXPECT_TRUE(lock.traits.not_built_in.starts_with("not built in: install ")) << lock.name;
  }
}

TEST(LockTable, TheWordOfALockSharesItsCacheLineWithNothing) {
  for (const LockEntry& lock : lock_table()) {
    if (!lock.traits.excludes) continue;
    EXPECT_EQ(lock.alignment % kCacheLine, 0U) << lock.name;
    EXPECT_EQ(lock.size % kCacheLine, 0U) << lock.name;
  }
}

}  // namespace
}  // namespace futex_bench
