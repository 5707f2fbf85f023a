// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/run/watchdog.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>

#include "common/system/clock.h"
#include "futex-bench/run/runner.h"

namespace futex_bench {
namespace {

/// A point whose trial is whatever a test wants.
class FakePoint : public Point {
 public:
  using Body = std::function<void(TrialControl&, std::atomic<int>&)>;
  FakePoint(Body body, std::optional<double> seconds, std::string missing = "")
      : body_(std::move(body)), seconds_(seconds), missing_(std::move(missing)) {
    key_.benchmark = "fake";
    key_.mode = "mode";
  }
  const PointKey& key() const override { return key_; }
  std::string title() const override { return "fake"; }
  std::optional<std::string> unavailable() const override {
    return missing_.empty() ? std::nullopt : std::optional(missing_);
  }
  std::optional<double> expected_seconds(const TrialRequest&) const override { return seconds_; }
  std::uint64_t progress(const void*) const override { return 0; }
  std::size_t memory_bytes() const override { return sizeof(std::atomic<int>); }
  void run(const TrialRequest&, TrialControl& control, void* memory) const override {
    body_(control, *static_cast<std::atomic<int>*>(memory));
  }
  std::vector<double> collect(const void* memory) const override {
    return {static_cast<double>(static_cast<const std::atomic<int>*>(memory)->load())};
  }

 private:
  PointKey key_;
  Body body_;
  std::optional<double> seconds_;
  std::string missing_;
};

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

TEST(Watchdog, ReportsAViolation) {
  Watchdog watchdog;
  const FakePoint point(
      [](TrialControl& control, std::atomic<int>&) {
        control.fail(TrialPhase::kViolated, "two inside");
      },
      0.01);
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
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
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

std::vector<std::unique_ptr<Point>> one_point(FakePoint::Body body, std::string missing = "") {
  std::vector<std::unique_ptr<Point>> points;
  points.push_back(std::make_unique<FakePoint>(std::move(body), 0.01, std::move(missing)));
  return points;
}

TEST(RunPlan, RunsEveryRoundAndNotTheWarmUp) {
  const auto points = one_point([](TrialControl&, std::atomic<int>& count) { count = 1; });
  std::size_t shown = 0;
  std::size_t finished = 0;
  const RunOutcome outcome =
      run_plan(points, {.repeat = 3, .runtime_seconds = 0.01, .warmup_seconds = 0.01, .seed = 1},
               {.before_trial = [&](const RunStep& step) { EXPECT_EQ(step.done, shown++); },
                .after_trial = [&](std::size_t, const TrialSample&) { ++finished; }});
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(shown, 4U);
  EXPECT_EQ(finished, 3U);
  ASSERT_EQ(outcome.points.size(), 1U);
  ASSERT_EQ(outcome.points[0].trials.size(), 3U);
  for (unsigned round = 0; round < 3; ++round)
    EXPECT_EQ(outcome.points[0].trials[round].round, round);
}

TEST(RunPlan, SkipsWhatCannotRun) {
  const auto points = one_point([](TrialControl&, std::atomic<int>&) {}, "ENOSYS: too old");
  const RunOutcome outcome = run_plan(points, {.repeat = 3}, {});
  EXPECT_FALSE(outcome.complete);
  EXPECT_FALSE(outcome.anything_ran);
  EXPECT_EQ(outcome.points[0].skipped, "ENOSYS: too old");
  EXPECT_TRUE(outcome.points[0].trials.empty());
}

TEST(RunPlan, AFailedTrialLeavesTheRunIncompleteAndGoesOn) {
  const auto points = one_point([](TrialControl& control, std::atomic<int>&) {
    control.fail(TrialPhase::kFailed, "created 1 of 2 threads");
  });
  const RunOutcome outcome = run_plan(points, {.repeat = 2, .warmup_seconds = 0}, {});
  EXPECT_FALSE(outcome.complete);
  EXPECT_TRUE(outcome.anything_ran);
  ASSERT_EQ(outcome.points[0].trials.size(), 2U);
  EXPECT_EQ(outcome.points[0].trials[1].note, "created 1 of 2 threads");
}

TEST(RunPlan, ABrokenLockIsNotMeasured) {
  const auto points = one_point([](TrialControl& control, std::atomic<int>&) {
    control.fail(TrialPhase::kViolated, "two inside");
  });
  const RunOutcome outcome = run_plan(points, {.repeat = 2, .warmup_seconds = 0.01}, {});
  EXPECT_EQ(outcome.violations, std::vector<std::string>{"two inside"});
  EXPECT_TRUE(outcome.points[0].trials.empty());
}

TEST(RunPlan, KeepsWhatWasFinishedWhenInterrupted) {
  const auto points = one_point([](TrialControl&, std::atomic<int>& count) { count = 5; });
  unsigned finished = 0;
  const RunOutcome outcome =
      run_plan(points, {.repeat = 100, .warmup_seconds = 0},
               {.before_trial = {}, .after_trial = [&](std::size_t, const TrialSample&) {
                  if (++finished == 3) kill(getpid(), SIGINT);
                }});
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.points[0].trials.size(), 3U);
}

}  // namespace
}  // namespace futex_bench
