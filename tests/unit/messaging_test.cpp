// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/messaging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <functional>
#include <map>
#include <new>
#include <tuple>

#include "common/system/descriptor.h"
#include "common/system/error.h"
#include "common/system/shared_memory.h"
#include "futex-bench/bench/message_channel.h"
#include "futex-bench/bench/message_tally.h"
#include "futex-bench/bench/messaging_memory.h"
#include "futex-bench/bench/messaging_trial.h"
#include "futex-bench/run/watchdog.h"

namespace futex_bench {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

/// Values of the trial of `pairs` pairs by name, as if these stamps had been taken; seconds from the
/// gate to the start and end of each pair, and message times in us that are the same in each.
std::map<std::string, double> values_of(const std::vector<std::pair<double, double>>& runs,
                                        const std::vector<double>& times_us,
                                        bool cut_short = false) {
  MessagingTrial trial{.transport = find_transport("pipe"),
                       .pairs = static_cast<unsigned>(runs.size()),
                       .messages = times_us.size(),
                       .size = 4,
                       .team = {}};
  const Mapping memory(messaging_trial_bytes(trial), Mapping::Kind::kPrivate);
  auto* const bytes = static_cast<std::byte*>(memory.address());
  auto* const head =
      new (bytes) MessagingHead{.gate_ns = 1'000'000'000, .messages = times_us.size()};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto* const pair = new (bytes + sizeof(MessagingHead) + i * sizeof(PairSlot)) PairSlot;
    for (const double us : times_us) pair->times.record(static_cast<std::uint64_t>(us * 1e3));
    pair->start_ns = head->gate_ns + std::llround(runs[i].first * 1e9);
    pair->done = times_us.size();
    if (!std::isnan(runs[i].second)) {
      pair->end_ns = head->gate_ns + std::llround(runs[i].second * 1e9);
    }
    pair->cpu = {CpuTimes{1, 2, 3, 4}, CpuTimes{10, 20, 30, 40}};
  }
  if (cut_short) {
    TrialControl control;
    control.gate_ns = now_ns() - 4'000'000'000;
    head->gate_ns = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto* const pair = reinterpret_cast<PairSlot*>(bytes + sizeof(MessagingHead)) + i;
      for (auto* stamp : {&pair->start_ns, &pair->end_ns}) {
        if (*stamp != 0) *stamp += control.gate_ns - 1'000'000'000;
      }
    }
    EXPECT_TRUE(cut_short_messaging(trial, control, bytes));
  }
  const std::vector<double> values = messaging_values(trial, memory.address());
  EXPECT_THAT(values, SizeIs(messaging_metrics().size()));
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < values.size(); ++i) named[messaging_metrics()[i].name] = values[i];
  return named;
}

/// Within what a histogram may be off by.
auto about(double value) { return DoubleNear(value, value * Histogram::kRelativeError); }

TEST(MessagingValues, BandMeanAndTailsOfHandComputedTimes) {
  // 1, 2, ... 100 us, and one of ten seconds: nearest ranks of 101 values.
  std::vector<double> times;
  for (int us = 1; us <= 100; ++us) times.push_back(us);
  times.push_back(10e6);
  auto values = values_of({{0, 0.5}}, times);
  EXPECT_EQ(values["min"], 1);
  EXPECT_THAT(values["p10"], about(11));
  EXPECT_THAT(values["p50"], about(51));
  EXPECT_THAT(values["p90"], about(91));
  EXPECT_THAT(values["p99"], about(100));
  EXPECT_EQ(values["max"], 10e6);
  EXPECT_DOUBLE_EQ(values["mean"], (5050 + 10e6) / 101);
}

TEST(MessagingValues, PairsThatKeepGoingStarveNobody) {
  // Four pairs, each 1000 messages of 2 ms, all from the gate to second 2.
  auto values = values_of({{0, 2}, {0, 2}, {0, 2}, {0, 2}}, std::vector<double>(1000, 2000));
  EXPECT_DOUBLE_EQ(values["throughput"], 2000);
  EXPECT_DOUBLE_EQ(values["wall_per_message"], 2000);
  EXPECT_THAT(values["starvation"], about(1));
  EXPECT_DOUBLE_EQ(values["jain"], 1);
  EXPECT_EQ(values["running_at_once"], 4);
  EXPECT_EQ(values["user"], 44);
  EXPECT_EQ(values["system"], 88);
  EXPECT_EQ(values["voluntary_switches"], 132);
  EXPECT_EQ(values["involuntary_switches"], 176);
}

TEST(MessagingValues, OnePairAfterTheOtherIsStarvationThatTheBandHides) {
  // The same messages of 2 ms, but one pair at a time, two seconds each.
  auto values = values_of({{0, 2}, {2, 4}, {4, 6}, {6, 8}}, std::vector<double>(1000, 2000));
  EXPECT_THAT(values["p90"], about(2000));
  EXPECT_DOUBLE_EQ(values["duration"], 8);
  EXPECT_DOUBLE_EQ(values["throughput"], 500);
  EXPECT_DOUBLE_EQ(values["wall_per_message"], 8000);
  EXPECT_THAT(values["starvation"], about(4));
  EXPECT_DOUBLE_EQ(values["first_finished"], 2);
  EXPECT_EQ(values["running_at_once"], 1);
  // Speeds 500, 250, 166.67, 125 per second: (sum)^2 / (4 sum of squares).
  EXPECT_NEAR(values["jain"], 1041.667 * 1041.667 / (4 * 355902.8), 1e-5);
}

TEST(MessagingValues, OfATrialThatWasCutShortAreOfWhatWasDone) {
  // Four seconds after the gate two pairs of 1000 messages have not ended.
  const double no_end = std::nan("");
  auto values =
      values_of({{0, 2}, {0, no_end}, {1, no_end}}, std::vector<double>(1000, 2000), true);
  EXPECT_NEAR(values["throughput"], 3000 / 4.0, 1);
  EXPECT_NEAR(values["wall_per_message"], 4000, 10);
  EXPECT_EQ(values["running_at_once"], 3);
  EXPECT_EQ(values["first_finished"], 2);
  EXPECT_NEAR(values["jain"], 1000.0 * 1000 / (3 * (500.0 * 500 + 2 * 250.0 * 250)), 1e-3);
  for (const char* name : {"duration", "user", "system", "voluntary_switches"}) {
    EXPECT_TRUE(std::isnan(values[name])) << name;
  }
  EXPECT_TRUE(std::isnan(
      values_of({{0, no_end}, {0, no_end}}, std::vector<double>(9, 2000), true)["first_finished"]));
}

TEST(MessagingValues, OfATrialThatWasCutShortBeforeItsFirstMessageThereAreNone) {
  const MessagingTrial trial{
      .transport = find_transport("pipe"), .pairs = 2, .messages = 10, .size = 4, .team = {}};
  const Mapping memory(messaging_trial_bytes(trial), Mapping::Kind::kPrivate);
  EXPECT_FALSE(cut_short_messaging(trial, TrialControl{}, memory.address()));
}

TEST(MessageTally, CountsThoseThatOverlap) {
  MessageTally tally(0);
  tally.add_run(10, 50);
  tally.add_run(20, 30);
  tally.add_run(30, 60);
  EXPECT_EQ(tally.most_at_once(), 2U);
  tally.add_run(25, 26);
  EXPECT_EQ(tally.most_at_once(), 3U);
}

class EachWay : public testing::TestWithParam<std::tuple<std::string, Between>> {
 protected:
  /// A lost message is a failure, not a test that hangs.
  void SetUp() override { alarm(60); }
  void TearDown() override { alarm(0); }
};

TEST_P(EachWay, CarriesWholeMessagesBothWays) {
  const auto& [name, between] = GetParam();
  // More than a pipe takes at once.
  constexpr std::size_t kSize = 100'000;
  const Transport& transport = *find_transport(name);
  const Mapping memory(channel_bytes(transport, kSize) + 1, Mapping::Kind::kShared);
  const auto channel = transport.open(
      {.size = kSize, .between = between, .memory = static_cast<std::byte*>(memory.address())});
  const auto serve = [&channel] {
    std::vector<std::byte> message(kSize);
    for (int i = 0; i < 3; ++i) {
      channel->receive(MessageChannel::kRequest, message.data());
      message[kSize - 1] = std::byte{7};
      channel->send(MessageChannel::kReply, message.data());
    }
  };
  const auto ask = [&channel] {
    std::vector<std::byte> sent(kSize);
    std::vector<std::byte> echo(kSize);
    for (int i = 0; i < 3; ++i) {
      std::fill(sent.begin(), sent.end(), std::byte(i + 1));
      channel->send(MessageChannel::kRequest, sent.data());
      channel->receive(MessageChannel::kReply, echo.data());
      sent[kSize - 1] = std::byte{7};
      EXPECT_TRUE(sent == echo) << "message " << i;
    }
  };
  if (between == Between::kThreads) {
    pthread_t thread{};
    std::function<void()> body = serve;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void* argument) -> void* {
                    (*static_cast<std::function<void()>*>(argument))();
                    return nullptr;
                  },
                  &body),
              0);
    ask();
    pthread_join(thread, nullptr);
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve();
    _exit(0);
  }
  ask();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

std::vector<std::string> way_names() {
  std::vector<std::string> names;
  for (const Transport& transport : transports()) names.emplace_back(transport.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Messaging, EachWay,
                         testing::Combine(testing::ValuesIn(way_names()),
                                          testing::Values(Between::kProcesses, Between::kThreads)));

/// A trial as the program would run it, without the process around it.
TEST_P(EachWay, ATrialExchangesWhatWasAsked) {
  const auto& [name, between] = GetParam();
  MessagingTrial trial{.transport = find_transport(name),
                       .pairs = 3,
                       .messages = 40,
                       .size = 1,
                       .team = {.between = between, .members = 6, .cpus = {}, .policy = {}}};
  const Mapping memory(messaging_trial_bytes(trial), Mapping::Kind::kShared);
  const Mapping page(sizeof(TrialControl), Mapping::Kind::kShared);
  auto& control = *new (page.address()) TrialControl;
  EXPECT_EQ(messaging_how_far(trial, memory.address()), "");
  run_messaging_trial(trial, {.runtime = 0, .verify = false}, control, memory.address());
  EXPECT_EQ(control.phase.load(), TrialPhase::kMeasured);
  EXPECT_EQ(messaging_progress(trial, memory.address()), 120U);
  EXPECT_EQ(messaging_times(trial, memory.address()).count(), 120U);
  EXPECT_THAT(
      messaging_how_far(trial, memory.address()),
      MatchesRegex("after 120 of 120 messages in [0-9]{1,2}\\.[0-9] s, 3 of 3 pairs had finished"));
}

/// Gives an option its value, as the command line would.
void set(std::vector<Option>& options, const std::string& name, std::vector<std::uint64_t> list) {
  for (Option& option : options) {
    if (option.name == name) *std::get<CountListTarget>(option.target).target = std::move(list);
  }
}

TEST(Messaging, ListsGoTogetherPointByPoint) {
  MessagingBenchmark benchmark;
  auto options = benchmark.options();
  EXPECT_THAT(benchmark.points(), SizeIs(6));
  set(options, "--pairs", {7, 5});
  set(options, "--messages", {30, 40});
  const auto points = benchmark.points();
  ASSERT_THAT(points, SizeIs(4));
  EXPECT_EQ(points[1]->key().threads, 10U);
  EXPECT_EQ(points[1]->key().parameters,
            (std::vector<std::pair<std::string, std::string>>{
                {"pairs", "5"}, {"messages", "40"}, {"between", "processes"}}));
  EXPECT_EQ(points[2]->key().mode, "cond");
  EXPECT_EQ(points[2]->key().parameters[2].second, "threads");
  set(options, "--messages", {30, 40, 50});
  EXPECT_THROW(benchmark.points(), UsageError);
  set(options, "--messages", {30});
  EXPECT_THAT(benchmark.points(), SizeIs(4));
  set(options, "--pairs", {7, 7});
  EXPECT_THROW(benchmark.points(), UsageError);
}

TEST(Descriptors, RoomIsMadeUpToTheHardLimit) {
  const pid_t child = fork();
  if (child == 0) {
    const DescriptorLimits before = read_descriptor_limits();
    make_room_for_descriptors(before.soft - before.open + 1);
    const bool raised = read_descriptor_limits().soft == std::min(before.soft + 1, before.hard);
    make_room_for_descriptors(before.hard);
    _exit(raised && read_descriptor_limits().soft == before.hard ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace futex_bench
