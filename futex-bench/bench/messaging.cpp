// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/messaging.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/system/descriptor.h"
#include "common/system/error.h"
#include "common/system/topology.h"
#include "futex-bench/bench/messaging_points.h"

namespace futex_bench {
namespace {

constexpr std::uint64_t kMaxPairs = 16'384;
constexpr std::uint64_t kMaxMessages = 1'000'000'000;
constexpr std::uint64_t kMaxSize = 1'000'000;
constexpr std::uint64_t kMaxGroups = 1'000;
constexpr std::uint64_t kMaxFds = 1'000;

/// The historical counts, and what they are divided by unless --full.
constexpr std::uint64_t kPairs[] = {100, 50, 20};
constexpr std::uint64_t kMessages[] = {100'000, 200'000, 1'000'000};
constexpr std::uint64_t kShare = 10;

/// An int, as perf bench sched pipe sends; and what hackbench sends.
constexpr std::size_t kPairSize = 4;
constexpr std::size_t kGroupSize = 100;
constexpr std::uint64_t kGroupMessages = 100;
constexpr unsigned kGroupFds = 20;

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const Transport& transport : transports()) names.emplace_back(transport.name);
  return names;
}

/// The number for a point: a list of one number counts for all.
std::uint64_t number_for(const std::vector<std::uint64_t>& list, std::size_t index) {
  return list.size() == 1 ? list.front() : list[index];
}

}  // namespace

std::vector<Option> MessagingBenchmark::options() {
  return {
      {"--pairs", "LIST",
       "Numbers of pairs, 1 to 16384, separated by commas. Goes together with --messages point by "
       "point. Default: 100,50,20.",
       CountListTarget{&options_.pairs, 1, kMaxPairs, true}},
      {"--messages", "LIST",
       "Messages that each pair exchanges, 1 to 1e9; a message is sent and its echo received. As "
       "many numbers as --pairs, or one for all. Default: 10k,20k,100k, a tenth of the historical "
       "test; 10k for other --pairs. With --groups: messages from each sender to each receiver, "
       "default 100.",
       CountListTarget{&options_.messages, 1, kMaxMessages, true}},
      {"--full", "", "The historical 100k,200k,1M messages per pair.", FlagTarget{&options_.full}},
      {"--over", "LIST",
       "How messages go, or all: pipe, socketpair, eventfd (the message itself lies in shared "
       "memory), cond (pthread mutex and condition variable), futex (the same by hand). Default: "
       "pipe,cond.",
       NamesTarget{&options_.over, transport_names()}},
      {"--between", "WHO",
       "processes or threads. Default: processes over pipe, socketpair and eventfd, threads over "
       "cond and futex.",
       ChoiceTarget{&options_.between, {"processes", "threads"}}},
      {"--size", "BYTES", "Bytes of a message, 1 to 1M. Default: 4; with --groups 100.",
       CountTarget{&options_.size, 1, kMaxSize}},
      {"--groups", "G",
       "hackbench's form instead of pairs: G groups, 1 to 1000, in which each of F senders writes "
       "to each of F receivers, over socketpair (the default) or pipe.",
       CountTarget{&options_.groups, 1, kMaxGroups}},
      {"--fds", "F", "With --groups: senders, and receivers, of a group, 1 to 1000. Default: 20.",
       CountTarget{&options_.fds, 1, kMaxFds}},
      {"--sched", "POLICY",
       "Scheduling policy of all members: other, batch, idle, or with a real-time priority "
       "fifo:PRIO, rr:PRIO. Default: as started.",
       PolicyTarget{&options_.sched}},
      {"--placement", "HOW",
       "none, compact (client and server of a pair on neighbouring processors), scatter, node=N or "
       "cpus=LIST (client and server of each pair in turn). Default: none.",
       PlacementTarget{&options_.placement}},
  };
}

std::span<const Metric> MessagingBenchmark::metrics() const {
  return options_.groups ? groups_metrics() : messaging_metrics();
}

std::vector<std::string> MessagingBenchmark::examples() const {
  return {
      "futex-bench messaging",
      "futex-bench messaging --full --kernel-label before --output before.json",
      "futex-bench messaging --pairs 1,10,100 --messages 100k,10k,1k --over all",
      "futex-bench messaging --pairs 20 --over pipe,futex --between processes --repeat 9",
      "futex-bench messaging --groups 10 --fds 20 --messages 100",
  };
}

std::vector<std::string> MessagingBenchmark::notes() const {
  const std::uint64_t needed = descriptors();
  const DescriptorLimits limits = read_descriptor_limits();
  if (limits.open + needed <= limits.soft) return {};
  return {
      fmt::format("{} file descriptors are needed: the soft limit of {} is raised for the trials",
                  needed, limits.soft)};
}

std::vector<MessagingBenchmark::Load> MessagingBenchmark::loads() const {
  const std::uint64_t share = options_.full ? 1 : kShare;
  if (options_.full && !options_.messages.empty()) {
    throw UsageError("--full: cannot go with --messages, which says how many");
  }
  std::vector<std::uint64_t> pairs = options_.pairs;
  std::vector<std::uint64_t> messages = options_.messages;
  if (messages.empty()) {
    if (pairs.empty()) {
      messages.assign(std::begin(kMessages), std::end(kMessages));
    } else {
      messages = {kMessages[0]};
    }
    for (std::uint64_t& count : messages) count /= share;
  }
  if (pairs.empty()) pairs.assign(std::begin(kPairs), std::end(kPairs));
  if (pairs.size() != messages.size() && pairs.size() != 1 && messages.size() != 1) {
    throw UsageError(fmt::format(
        "--messages: {} numbers do not go with {} numbers of pairs; as many, or one for all",
        messages.size(), pairs.size()));
  }
  std::vector<Load> loads;
  for (std::size_t i = 0; i < std::max(pairs.size(), messages.size()); ++i) {
    const Load load{number_for(pairs, i), number_for(messages, i)};
    if (std::ranges::find(loads, load) != loads.end()) {
      throw UsageError(fmt::format("--pairs: {} pairs with {} messages are given twice", load.pairs,
                                   load.messages));
    }
    loads.push_back(load);
  }
  return loads;
}

std::vector<std::string> MessagingBenchmark::transports_or(
    const std::vector<std::string>& otherwise) const {
  return options_.over.empty() ? otherwise : options_.over;
}

Between MessagingBenchmark::between_or(Between natural) const {
  if (options_.between.empty()) return natural;
  return options_.between == "threads" ? Between::kThreads : Between::kProcesses;
}

void MessagingBenchmark::add_common(Parameters& parameters, std::size_t default_size) const {
  if (options_.size.value_or(default_size) != default_size) {
    parameters.emplace_back("size_bytes", fmt::format("{}", *options_.size));
  }
  if (options_.sched.policy) parameters.emplace_back("sched", options_.sched.to_string());
  if (options_.placement.policy != PlacementPolicy::kNone) {
    parameters.emplace_back("placement", options_.placement.to_string());
  }
}

std::vector<MessagingTrial> MessagingBenchmark::pair_trials() const {
  if (options_.fds) throw UsageError("--fds: has no meaning without --groups");
  const std::vector<Load> all = loads();
  const Topology topology = Topology::current();
  std::vector<MessagingTrial> trials;
  for (const std::string& over : transports_or({"pipe", "cond"})) {
    const Transport& transport = *find_transport(over);
    for (const Load& load : all) {
      const auto members = static_cast<unsigned>(2 * load.pairs);
      trials.push_back({.transport = &transport,
                        .pairs = static_cast<unsigned>(load.pairs),
                        .messages = load.messages,
                        .size = options_.size.value_or(kPairSize),
                        .team = {.between = between_or(transport.natural),
                                 .members = members,
                                 .cpus = place(options_.placement, topology, members),
                                 .policy = options_.sched}});
    }
  }
  return trials;
}

std::vector<GroupsTrial> MessagingBenchmark::group_trials() const {
  if (!options_.pairs.empty()) throw UsageError("--pairs: cannot go with --groups");
  if (options_.full) throw UsageError("--full: cannot go with --groups");
  const auto groups = static_cast<unsigned>(*options_.groups);
  const auto fds = static_cast<unsigned>(options_.fds.value_or(kGroupFds));
  const unsigned members = 2 * groups * fds;
  if (members > 2 * kMaxPairs) {
    throw UsageError(
        fmt::format("--groups: {} groups of 2 x {} are {} members, of which there can be {}",
                    groups, fds, members, 2 * kMaxPairs));
  }
  std::vector<std::uint64_t> counts = options_.messages;
  if (counts.empty()) counts = {kGroupMessages};
  const Topology topology = Topology::current();
  std::vector<GroupsTrial> trials;
  for (const std::string& over : transports_or({"socketpair"})) {
    if (over != "pipe" && over != "socketpair") {
      throw UsageError(
          fmt::format("--over: {} cannot go with --groups, which needs pipe or socketpair", over));
    }
    for (const std::uint64_t messages : counts) {
      trials.push_back(
          {.over = over == "pipe" ? GroupsTrial::Over::kPipe : GroupsTrial::Over::kSocketPair,
           .groups = groups,
           .fds = fds,
           .messages = messages,
           .size = options_.size.value_or(kGroupSize),
           .team = {.between = between_or(Between::kProcesses),
                    .members = members,
                    .cpus = place(options_.placement, topology, members),
                    .policy = options_.sched}});
    }
  }
  return trials;
}

std::uint64_t MessagingBenchmark::descriptors() const {
  std::uint64_t most = 0;
  if (options_.groups) {
    for (const GroupsTrial& trial : group_trials())
      most = std::max(most, groups_descriptors(trial));
  } else {
    for (const MessagingTrial& trial : pair_trials()) {
      most = std::max(most, messaging_descriptors(trial));
    }
  }
  return most == 0 ? 0 : most + kSpareDescriptors;
}

std::vector<std::unique_ptr<Point>> MessagingBenchmark::points() const {
  std::vector<std::unique_ptr<Point>> points;
  const auto key = [](std::string_view mode, const TeamPlan& team, Parameters parameters) {
    return PointKey{.benchmark = "messaging",
                    .mode = std::string(mode),
                    .threads = team.members,
                    .parameters = std::move(parameters)};
  };
  if (options_.groups) {
    for (const GroupsTrial& trial : group_trials()) {
      Parameters parameters{{"groups", fmt::format("{}", trial.groups)},
                            {"fds", fmt::format("{}", trial.fds)},
                            {"messages", fmt::format("{}", trial.messages)},
                            {"between", std::string(to_string(trial.team.between))}};
      add_common(parameters, kGroupSize);
      points.push_back(
          make_group_point(key(to_string(trial.over), trial.team, std::move(parameters)), trial));
    }
  } else {
    for (const MessagingTrial& trial : pair_trials()) {
      Parameters parameters{{"pairs", fmt::format("{}", trial.pairs)},
                            {"messages", fmt::format("{}", trial.messages)},
                            {"between", std::string(to_string(trial.team.between))}};
      add_common(parameters, kPairSize);
      points.push_back(
          make_pair_point(key(trial.transport->name, trial.team, std::move(parameters)), trial));
    }
  }
  if (const auto why = policy_refused(options_.sched)) {
    throw UsageError(fmt::format("--sched {}: {}", options_.sched.to_string(), *why));
  }
  const std::uint64_t needed = descriptors();
  const DescriptorLimits limits = read_descriptor_limits();
  if (limits.open + needed > limits.hard) {
    throw UsageError(
        fmt::format("RLIMIT_NOFILE: {} file descriptors are needed, {} of them are in use, and the "
                    "hard limit is {} (ulimit -n)",
                    limits.open + needed, limits.open, limits.hard));
  }
  return points;
}

}  // namespace futex_bench
