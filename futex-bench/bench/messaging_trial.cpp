// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/messaging_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

#include "common/stats/fairness.h"
#include "common/system/descriptor.h"
#include "futex-bench/bench/message_tally.h"
#include "futex-bench/bench/messaging_memory.h"

namespace futex_bench {
namespace {

/// Of the warm-up: enough for caches and page tables.
constexpr std::uint64_t kWarmupShare = 100;
constexpr std::uint64_t kLeastWarmup = 10;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const auto kMetrics = std::to_array<Metric>({
    {"throughput", "messages/s", Direction::kHigherIsBetter,
     "Round trips of all pairs per second, from the gate to the end of the last pair."},
    {"duration", "s", Direction::kLowerIsBetter, "From the gate to the end of the last pair."},
    {"min", "us", Direction::kNeutral, "Shortest message time."},
    {"p10", "us", Direction::kLowerIsBetter,
     "10th percentile of the message times: the lower end of the band that holds the middle 80 %."},
    {"p50", "us", Direction::kLowerIsBetter, "Median message time."},
    {"p90", "us", Direction::kLowerIsBetter, "90th percentile: the upper end of the band."},
    {"mean", "us", Direction::kLowerIsBetter, "Mean message time, exact."},
    {"p99", "us", Direction::kLowerIsBetter, "99th percentile of the message times."},
    {"p99_9", "us", Direction::kLowerIsBetter, "99.9th percentile of the message times."},
    {"max", "us", Direction::kLowerIsBetter, "Longest message time, exact."},
    {"wall_per_message", "us", Direction::kLowerIsBetter,
     "Duration over the messages of one pair: what a message costs a pair, waits between two "
     "messages included."},
    {"starvation", "1", Direction::kLowerIsBetter,
     "wall_per_message over the median message time: about 1 if all pairs get on all the time, "
     "more if pairs had to stand by while others ran."},
    {"first_finished", "s", Direction::kNeutral, "From the gate to the end of the first pair."},
    {"jain", "1", Direction::kHigherIsBetter,
     "Jain's fairness index of the speeds of the pairs, each from the gate to its own end."},
    {"voluntary_switches", "1", Direction::kNeutral, "Times a member went to sleep."},
    {"involuntary_switches", "1", Direction::kNeutral,
     "Times the scheduler took the processor from a member."},
    {"user", "s", Direction::kNeutral, "User time of all members in their loops (getrusage)."},
    {"system", "s", Direction::kNeutral, "System time, likewise."},
    {"running_at_once", "1", Direction::kNeutral,
     "Most pairs that were at one time between their first and their last message."},
});

/// Where things are in the memory of a trial.
template <class Byte>
struct Layout {
  template <class T>
  using Part = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  Layout(Byte* memory, const MessagingTrial& trial)
      : head(reinterpret_cast<Part<MessagingHead>*>(memory)),
        pairs(reinterpret_cast<Part<PairSlot>*>(memory + sizeof(MessagingHead)), trial.pairs),
        channels(memory + sizeof(MessagingHead) + trial.pairs * sizeof(PairSlot)) {}

  Part<MessagingHead>* head;
  std::span<Part<PairSlot>> pairs;
  Byte* channels;
};

Layout<const std::byte> layout_of(const MessagingTrial& trial, const void* memory) {
  return {static_cast<const std::byte*>(memory), trial};
}

/// The number of the message, as much of it as fits.
void number_message(std::vector<std::byte>& message, std::uint64_t number) {
  std::memcpy(message.data(), &number, std::min(message.size(), sizeof number));
}

void run_client(MessageChannel& channel, PairSlot& slot, std::uint64_t messages, std::size_t size) {
  std::vector<std::byte> sent(size);
  std::vector<std::byte> echo(size);
  const std::size_t checked = std::min(size, sizeof(std::uint64_t));
  slot.start_ns.store(now_ns(), std::memory_order_relaxed);
  std::int64_t after_ns = 0;
  for (std::uint64_t i = 0; i < messages; ++i) {
    number_message(sent, i + 1);
    const std::int64_t before_ns = now_ns();
    channel.send(MessageChannel::kRequest, sent.data());
    channel.receive(MessageChannel::kReply, echo.data());
    after_ns = now_ns();
    if (std::memcmp(sent.data(), echo.data(), checked) != 0) {
      throw std::runtime_error(fmt::format("message {} came back changed", i + 1));
    }
    slot.times.record(static_cast<std::uint64_t>(after_ns - before_ns));
    slot.done.store(i + 1, std::memory_order_relaxed);
  }
  slot.end_ns.store(after_ns, std::memory_order_relaxed);
}

void run_server(MessageChannel& channel, std::uint64_t messages, std::size_t size) {
  std::vector<std::byte> message(size);
  for (std::uint64_t i = 0; i < messages; ++i) {
    channel.receive(MessageChannel::kRequest, message.data());
    channel.send(MessageChannel::kReply, message.data());
  }
}

/// What each pair did per second, in thousandths.
std::vector<std::uint64_t> speeds(std::span<const PairSlot> pairs,
                                  std::span<const double> seconds) {
  std::vector<std::uint64_t> speeds;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto messages = static_cast<double>(pairs[i].done.load(std::memory_order_relaxed));
    speeds.push_back(seconds[i] > 0 ? static_cast<std::uint64_t>(messages * 1e3 / seconds[i]) : 0);
  }
  return speeds;
}

}  // namespace

std::span<const Metric> messaging_metrics() { return kMetrics; }

std::uint64_t messaging_descriptors(const MessagingTrial& trial) {
  return std::uint64_t{trial.pairs} * trial.transport->descriptors;
}

std::size_t messaging_trial_bytes(const MessagingTrial& trial) {
  return sizeof(MessagingHead) +
         trial.pairs * (sizeof(PairSlot) + channel_bytes(*trial.transport, trial.size));
}

void run_messaging_trial(const MessagingTrial& trial, const TrialRequest& request,
                         TrialControl& control, void* memory) {
  const Layout shared(static_cast<std::byte*>(memory), trial);
  auto& head = *new (shared.head) MessagingHead;
  std::uninitialized_default_construct(shared.pairs.begin(), shared.pairs.end());
  head.messages = trial.messages;
  if (request.verify) {
    head.messages = std::min(trial.messages, std::max(trial.messages / kWarmupShare, kLeastWarmup));
  }
  make_room_for_descriptors(messaging_descriptors(trial));
  const std::size_t bytes = channel_bytes(*trial.transport, trial.size);
  std::vector<std::unique_ptr<MessageChannel>> channels;
  for (unsigned i = 0; i < trial.pairs; ++i) {
    channels.push_back(trial.transport->open({.size = trial.size,
                                              .between = trial.team.between,
                                              .memory = shared.channels + i * bytes}));
  }
  const std::uint64_t messages = head.messages;
  const auto body = [&](unsigned index) {
    MessageChannel& channel = *channels[index / 2];
    PairSlot& slot = shared.pairs[index / 2];
    const CpuTimes before = thread_cpu_times();
    if (index % 2 == 0) {
      run_client(channel, slot, messages, trial.size);
    } else {
      run_server(channel, messages, trial.size);
    }
    slot.cpu[index % 2] = thread_cpu_times() - before;
  };
  run_team(trial.team, body, control);
  head.gate_ns = control.gate_ns.load(std::memory_order_relaxed);
  control.phase.store(TrialPhase::kMeasured, std::memory_order_release);
}

std::uint64_t messaging_progress(const MessagingTrial& trial, const void* memory) {
  std::uint64_t done = 0;
  for (const PairSlot& pair : layout_of(trial, memory).pairs) {
    done += pair.done.load(std::memory_order_relaxed);
  }
  return done;
}

std::string messaging_how_far(const MessagingTrial& trial, const void* memory) {
  const Layout shared = layout_of(trial, memory);
  const std::uint64_t done = messaging_progress(trial, memory);
  if (done == 0) return "";
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t finished = 0;
  for (const PairSlot& pair : shared.pairs) {
    const std::int64_t start_ns = pair.start_ns.load(std::memory_order_relaxed);
    if (start_ns != 0) first_ns = std::min(first_ns, start_ns);
    if (pair.end_ns.load(std::memory_order_relaxed) != 0) ++finished;
  }
  return fmt::format("after {} of {} messages in {:.1f} s, {} of {} pairs had finished", done,
                     trial.pairs * shared.head->messages,
                     static_cast<double>(now_ns() - first_ns) / 1e9, finished, trial.pairs);
}

Histogram messaging_times(const MessagingTrial& trial, const void* memory) {
  Histogram all;
  for (const PairSlot& pair : layout_of(trial, memory).pairs) all.merge(pair.times);
  return all;
}

bool cut_short_messaging(const MessagingTrial& trial, const TrialControl& control, void* memory) {
  if (messaging_progress(trial, memory) == 0) return false;
  const Layout shared(static_cast<std::byte*>(memory), trial);
  shared.head->gate_ns = control.gate_ns.load(std::memory_order_relaxed);
  shared.head->cut_ns = now_ns();
  for (PairSlot& pair : shared.pairs) {
    for (auto* stamp : {&pair.start_ns, &pair.end_ns}) {
      if (stamp->load(std::memory_order_relaxed) == 0) {
        stamp->store(shared.head->cut_ns, std::memory_order_relaxed);
      }
    }
  }
  return true;
}

std::vector<double> messaging_values(const MessagingTrial& trial, const void* memory) {
  const Layout shared = layout_of(trial, memory);
  const Histogram times = messaging_times(trial, memory);
  const auto messages = static_cast<double>(times.count());
  const bool cut_short = shared.head->cut_ns != 0;
  const auto if_ended = [cut_short](double value) { return cut_short ? kNone : value; };

  MessageTally tally(shared.head->gate_ns);
  for (const PairSlot& pair : shared.pairs) {
    tally.add_run(pair.start_ns.load(std::memory_order_relaxed),
                  pair.end_ns.load(std::memory_order_relaxed));
    for (const CpuTimes& cpu : pair.cpu) tally.add_cpu(cpu);
  }
  const double first = tally.first_seconds();
  const double duration = tally.last_seconds();
  const double wall_per_message = duration * 1e6 * trial.pairs / messages;
  const double median = times.percentile(50) / 1e3;
  return {
      messages / duration,
      if_ended(duration),
      static_cast<double>(times.min()) / 1e3,
      times.percentile(10) / 1e3,
      median,
      times.percentile(90) / 1e3,
      times.mean() / 1e3,
      times.percentile(99) / 1e3,
      times.percentile(99.9) / 1e3,
      static_cast<double>(times.max()) / 1e3,
      wall_per_message,
      wall_per_message / median,
      cut_short && first == duration ? kNone : first,
      jain(speeds(shared.pairs, tally.run_seconds())),
      if_ended(static_cast<double>(tally.cpu().voluntary_switches)),
      if_ended(static_cast<double>(tally.cpu().involuntary_switches)),
      if_ended(tally.cpu().user_seconds),
      if_ended(tally.cpu().system_seconds),
      static_cast<double>(tally.most_at_once()),
  };
}

}  // namespace futex_bench
