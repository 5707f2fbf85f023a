// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/watchdog.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <string>

#include "common/system/clock.h"
#include "tests/unit/fake_point.h"

namespace futex_bench {
namespace {

void open_gate(TrialControl& control) {
  control.gate_ns = now_ns();
  control.phase = TrialPhase::kRunning;
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

TEST(Watchdog, ReturnsWhatTheChildCounted) {
  Watchdog watchdog;
  const FakePoint point([](TrialControl&, std::atomic<int>& count) { count = 42; }, 0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kOk);
  EXPECT_EQ(end.values, std::vector<double>{42});
}

TEST(Watchdog, ReturnsSingleValues) {
  Watchdog watchdog;
  const FakePoint point([](TrialControl&, std::atomic<int>& count) { count = 42; }, 0.01);
  const TrialEnd end = watchdog.run(point, {});
  ASSERT_EQ(end.series.size(), 1U);
  EXPECT_EQ(end.series[0].second, std::vector<double>{42});
  ASSERT_EQ(end.distributions.size(), 1U);
  EXPECT_EQ(end.distributions[0].second.mean, 42);
}

TEST(Watchdog, LooksOnWhileATrialRunsAndNotWhenNotAsked) {
  Watchdog watchdog;
  FakePoint point(
      [](TrialControl& control, std::atomic<int>& count) {
        open_gate(control);
        count = 7;
        usleep(700'000);
      },
      0.8);
  point.tell_how_far();
  EXPECT_EQ(watchdog.run(point, {}).status, TrialStatus::kOk);
  std::vector<std::string> seen;
  watchdog.look_on([&seen](const std::string& how_far) { seen.push_back(how_far); });
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kOk);
  EXPECT_EQ(end.values, std::vector<double>{7});
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), "after 7");
}

TEST(Watchdog, LookingOnDoesNotProlongATrialThatIsStuck) {
  Watchdog watchdog;
  int looks = 0;
  watchdog.look_on([&looks](const std::string&) { ++looks; });
  const FakePoint point(
      [](TrialControl& control, std::atomic<int>& count) {
        open_gate(control);
        count = 7;
        control.phase = TrialPhase::kMeasured;
        sleep_for_ever();
      },
      0.01);
  EXPECT_EQ(watchdog.run(point, {}).status, TrialStatus::kNotDrained);
  EXPECT_GT(looks, 0);
}

TEST(Watchdog, RunsManyTrialsOneAfterTheOther) {
  Watchdog watchdog;
  for (int i = 0; i < 50; ++i) {
    const FakePoint point([i](TrialControl&, std::atomic<int>& count) { count = i; }, 0.01);
    EXPECT_EQ(watchdog.run(point, {}).values, std::vector<double>{static_cast<double>(i)});
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
}

TEST(Watchdog, KillsWhatDoesNotDrainAndKeepsTheCounts) {
  Watchdog watchdog;
  const FakePoint point(
      [](TrialControl& control, std::atomic<int>& count) {
        open_gate(control);
        count = 7;
        control.phase = TrialPhase::kMeasured;
        sleep_for_ever();
      },
      0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kNotDrained);
  EXPECT_EQ(end.values, std::vector<double>{7});
  EXPECT_NE(end.note.find("killed"), std::string::npos) << end.note;
}

TEST(Watchdog, JudgesAViolationAlsoOfATrialItHadToKill) {
  Watchdog watchdog;
  const FakePoint point(
      [](TrialControl& control, std::atomic<int>& count) {
        open_gate(control);
        count = -1;
        control.phase = TrialPhase::kMeasured;
        sleep_for_ever();
      },
      0.01);
  EXPECT_TRUE(watchdog.run(point, {}).violated);
}

TEST(Watchdog, NamesASignalThatHasNoName) {
  Watchdog watchdog;
  const FakePoint point([](TrialControl&, std::atomic<int>&) { kill(getpid(), SIGRTMIN + 3); },
                        0.01);
  EXPECT_NE(watchdog.run(point, {}).note.find(std::to_string(SIGRTMIN + 3)), std::string::npos);
}

TEST(Watchdog, FindsTheEndOfAChildAlsoWhereSigchldWasIgnored) {
  std::signal(SIGCHLD, SIG_IGN);
  Watchdog watchdog;
  const FakePoint point([](TrialControl&, std::atomic<int>& count) { count = 3; }, 0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kOk);
  EXPECT_EQ(end.values, std::vector<double>{3});
}

TEST(Watchdog, ReadsAChildThatDoesNotComeToIt) {
  Watchdog watchdog;
  const FakePoint point(
      [](TrialControl& control, std::atomic<int>& count) {
        open_gate(control);
        count = 9;
        sleep_for_ever();
      },
      0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kNotDrained);
  EXPECT_EQ(end.values, std::vector<double>{9});
}

TEST(EndingSignals, TakeWhatIsPendingOffTheProcess) {
  EndingSignals signals;
  kill(getpid(), SIGTERM);
  kill(getpid(), SIGHUP);
  EXPECT_NE(signals.release(), 0);
  EXPECT_EQ(signals.release(), 0);  // still here
}

TEST(Watchdog, NamesTheSignalOfAChildThatDied) {
  Watchdog watchdog;
  const FakePoint point([](TrialControl&, std::atomic<int>&) { kill(getpid(), SIGKILL); }, 0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kFailed);
  EXPECT_NE(end.note.find("SIGKILL"), std::string::npos) << end.note;
  EXPECT_TRUE(end.values.empty());
}

TEST(Watchdog, KeepsTheWordsOfAnException) {
  Watchdog watchdog;
  const FakePoint point(
      [](TrialControl&, std::atomic<int>&) { throw std::runtime_error("no such luck"); }, 0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kFailed);
  EXPECT_EQ(end.note, "no such luck");
  EXPECT_FALSE(end.violated);
}

TEST(Watchdog, MemoryThatCannotBeMappedCostsTheTrial) {
  Watchdog watchdog;
  FakePoint point([](TrialControl&, std::atomic<int>&) {}, 0.01);
  point.ask_for_bytes(std::size_t{1} << 62);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.status, TrialStatus::kFailed);
  EXPECT_NE(end.note.find("memory"), std::string::npos) << end.note;
}

TEST(Watchdog, ReportsAViolation) {
  Watchdog watchdog;
  const FakePoint point([](TrialControl&, std::atomic<int>& count) { count = -1; }, 0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_TRUE(end.violated);
  EXPECT_EQ(end.note, "two inside");
}

TEST(Watchdog, ASignalEndsTheTrialAtOnce) {
  Watchdog watchdog;
  const pid_t tester = getpid();
  const FakePoint point(
      [tester](TrialControl& control, std::atomic<int>&) {
        open_gate(control);
        kill(tester, SIGTERM);
        sleep_for_ever();
      },
      3600);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.status, TrialStatus::kFailed);
  EXPECT_TRUE(end.values.empty());
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
}

TEST(Watchdog, WhatHadBeenDoneBeforeASignalIsKeptWhereItMeansSomething) {
  Watchdog watchdog;
  const pid_t tester = getpid();
  FakePoint point(
      [tester](TrialControl& control, std::atomic<int>& count) {
        count = 7;
        open_gate(control);
        kill(tester, SIGTERM);
        sleep_for_ever();
      },
      std::nullopt);
  point.let_be_cut_short();
  point.tell_how_far();
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.status, TrialStatus::kCutShort);
  EXPECT_TRUE(end.partial);
  EXPECT_EQ(end.note, "interrupted after 7");
  EXPECT_EQ(end.values, std::vector<double>{7});
  EXPECT_EQ(end.series.front().second, std::vector<double>{7});
  EXPECT_EQ(end.distributions.front().second.count, 1U);
}

TEST(Watchdog, ASignalForTheTrialAloneEndsTheTrialAlone) {
  Watchdog watchdog;
  const FakePoint point(
      [](TrialControl&, std::atomic<int>&) {
        kill(getpid(), SIGTERM);
        sleep_for_ever();
      },
      0.01);
  const TrialEnd end = watchdog.run(point, {});
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.status, TrialStatus::kFailed);
  EXPECT_EQ(end.note, "the trial's process was killed by SIGTERM");
}

// From the terminal, or from timeout(1), which signals its process group.
TEST(Watchdog, ASignalForAllEndsTheRunAlsoIfTheChildIsGoneFirst) {
  Watchdog watchdog;
  const pid_t tester = getpid();
  for (const bool child_dies : {true, false}) {
    FakePoint point(
        [=](TrialControl& control, std::atomic<int>& count) {
          count = 7;
          open_gate(control);
          if (!child_dies) {
            kill(tester, SIGTERM);
            throw std::runtime_error("process 1 of 2 was killed by SIGTERM");
          }
          if (fork() == 0) {
            usleep(20'000);
            kill(tester, SIGTERM);
            _exit(0);
          }
          kill(getpid(), SIGTERM);
          sleep_for_ever();
        },
        std::nullopt);
    point.let_be_cut_short();
    const TrialEnd end = watchdog.run(point, {});
    EXPECT_EQ(end.signal, SIGTERM);
    EXPECT_EQ(end.status, TrialStatus::kCutShort);
    EXPECT_EQ(end.values, std::vector<double>{7});
  }
}

TEST(Watchdog, ChildrenDieWithTheParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    Watchdog watchdog;
    const FakePoint point(
        [&](TrialControl& control, std::atomic<int>&) {
          open_gate(control);
          const pid_t self = getpid();
          if (write(ends[1], &self, sizeof self) != static_cast<ssize_t>(sizeof self)) _exit(1);
          sleep_for_ever();
        },
        3600);
    watchdog.run(point, {});
    _exit(0);
  }
  close(ends[1]);
  pid_t grandchild = 0;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  kill(parent, SIGKILL);
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  // The grandchild holds the last writing end of the pipe: its death is the end of file.
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace futex_bench
