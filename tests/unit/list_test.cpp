// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/tools/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "futex-bench/bench/lock_table.h"

namespace futex_bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The lines of a mode, from its name to the next one.
std::string section(const std::string& text, std::string_view mode) {
  std::istringstream lines(text);
  std::string found;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 2 && line[2] != ' ') {
      inside = line.starts_with("  " + std::string(mode) + " ");
    }
    if (inside) found += line + '\n';
  }
  return found;
}

TEST(List, NamesEveryModeWithSummarySourceAndKernel) {
  const std::string text = list_text(false);
  for (const LockEntry& lock : lock_table()) {
    const std::string about = section(text, lock.name);
    EXPECT_THAT(about, HasSubstr(lock.summary)) << lock.name;
    EXPECT_THAT(about, HasSubstr("source: " + std::string(lock.source))) << lock.name;
    EXPECT_THAT(about, HasSubstr(lock.traits.not_built_in.empty() ? "this kernel: can"
                                                                  : lock.traits.not_built_in))
        << lock.name;
    EXPECT_THAT(about, Not(HasSubstr("fairness:"))) << lock.name;
  }
}

TEST(List, TellsThePropertiesWhenVerbose) {
  const std::string text = list_text(true);
  for (const LockEntry& lock : lock_table()) {
    if (!lock.traits.not_built_in.empty()) continue;
    EXPECT_THAT(section(text, lock.name), HasSubstr("fairness: ")) << lock.name;
    EXPECT_THAT(section(text, lock.name), HasSubstr("memory: ")) << lock.name;
  }
  const std::string queue = section(text, "mcs-stp");
  EXPECT_THAT(queue, HasSubstr("fairness: FIFO; a waiter spins, then sleeps"));
  EXPECT_THAT(queue, HasSubstr("8 bytes are contended for"));
  EXPECT_THAT(queue, HasSubstr("a queue node for each thread"));
  EXPECT_THAT(queue, HasSubstr("parameters: --spin 2700"));
  const std::string word = section(text, "wait");
  EXPECT_THAT(word, HasSubstr("fairness: barging; a waiter sleeps\n"));
  EXPECT_THAT(word, HasSubstr("4 bytes are contended for"));
  EXPECT_THAT(word, Not(HasSubstr("queue node")));
  EXPECT_THAT(word, Not(HasSubstr("parameters")));
  EXPECT_THAT(section(text, "null"), HasSubstr("nothing is locked"));
}

TEST(List, PrintsTheDefaultOfEveryModeThatObeysSpin) {
  const std::string text = list_text(true);
  for (const LockEntry& lock : lock_table()) {
    if (!lock.traits.takes_spin) continue;
    EXPECT_GT(lock.traits.default_spin, 0U) << lock.name;
    EXPECT_THAT(section(text, lock.name),
                HasSubstr("--spin " + std::to_string(lock.traits.default_spin)));
  }
}

}  // namespace
}  // namespace futex_bench
