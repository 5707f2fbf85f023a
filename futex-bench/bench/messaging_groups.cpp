// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/messaging_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>

#include "common/locks/platform.h"
#include "common/system/descriptor.h"
#include "futex-bench/bench/message_tally.h"

namespace futex_bench {
namespace {

/// Of the warm-up.
constexpr std::uint64_t kWarmupMessages = 10;

const auto kMetrics = std::to_array<Metric>({
    {"throughput", "messages/s", Direction::kHigherIsBetter,
     "Messages that all receivers got per second, from the gate to the end of the last receiver."},
    {"duration", "s", Direction::kLowerIsBetter,
     "From the gate until all receivers have everything."},
    {"joined", "s", Direction::kLowerIsBetter,
     "From the gate until all members have ended and been waited for: what hackbench and perf "
     "bench sched messaging print."},
    {"first_finished", "s", Direction::kNeutral, "From the gate to the end of the first receiver."},
    {"voluntary_switches", "1", Direction::kNeutral, "Times a member went to sleep."},
    {"involuntary_switches", "1", Direction::kNeutral,
     "Times the scheduler took the processor from a member."},
    {"user", "s", Direction::kNeutral, "User time of all members in their loops (getrusage)."},
    {"system", "s", Direction::kNeutral, "System time, likewise."},
    {"running_at_once", "1", Direction::kNeutral,
     "Most receivers that were at one time between the beginning and their last message."},
});

/// Of one member.
struct alignas(kCacheLine) MemberSlot {
  std::atomic<std::uint64_t> received{0};
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  CpuTimes cpu;
};

struct alignas(kCacheLine) Head {
  std::int64_t gate_ns = 0;
  std::int64_t joined_ns = 0;
  std::uint64_t messages = 0;
};

std::size_t members_of(const GroupsTrial& trial) {
  return std::size_t{2} * trial.groups * trial.fds;
}

std::span<const MemberSlot> slots_of(const GroupsTrial& trial, const void* memory) {
  const auto* const bytes = static_cast<const std::byte*>(memory);
  return {reinterpret_cast<const MemberSlot*>(bytes + sizeof(Head)), members_of(trial)};
}

bool is_receiver(const GroupsTrial& trial, std::size_t index) {
  return index % (std::size_t{2} * trial.fds) >= trial.fds;
}

std::uint64_t total(const GroupsTrial& trial, std::uint64_t messages) {
  return std::uint64_t{trial.groups} * trial.fds * trial.fds * messages;
}

}  // namespace

std::string_view to_string(GroupsTrial::Over over) {
  return over == GroupsTrial::Over::kPipe ? "pipe" : "socketpair";
}

std::span<const Metric> groups_metrics() { return kMetrics; }

std::uint64_t groups_descriptors(const GroupsTrial& trial) {
  return std::uint64_t{2} * trial.groups * trial.fds;
}

std::size_t groups_trial_bytes(const GroupsTrial& trial) {
  return sizeof(Head) + members_of(trial) * sizeof(MemberSlot);
}

void run_groups_trial(const GroupsTrial& trial, const TrialRequest& request, TrialControl& control,
                      void* memory) {
  auto& head = *new (memory) Head;
  auto* const slots = reinterpret_cast<MemberSlot*>(static_cast<std::byte*>(memory) + sizeof(Head));
  std::uninitialized_default_construct_n(slots, members_of(trial));
  head.messages = request.verify ? std::min(trial.messages, kWarmupMessages) : trial.messages;
  make_room_for_descriptors(groups_descriptors(trial));
  std::vector<DescriptorPair> ways;
  for (unsigned i = 0; i < trial.groups * trial.fds; ++i) {
    ways.push_back(trial.over == GroupsTrial::Over::kPipe ? open_pipe() : open_socket_pair());
  }

  const std::uint64_t messages = head.messages;
  const auto body = [&](unsigned index) {
    MemberSlot& slot = slots[index];
    const std::size_t first = std::size_t{index} / (2 * trial.fds) * trial.fds;
    std::vector<std::byte> message(trial.size);
    const CpuTimes before = thread_cpu_times();
    slot.start_ns = now_ns();
    if (is_receiver(trial, index)) {
      const int fd = ways[first + index % (2 * trial.fds) - trial.fds].read_end.get();
      for (std::uint64_t i = 0; i < messages * trial.fds; ++i) {
        read_all(fd, message.data(), message.size());
        slot.received.store(i + 1, std::memory_order_relaxed);
      }
    } else {
      for (std::uint64_t i = 0; i < messages; ++i) {
        for (unsigned to = 0; to < trial.fds; ++to) {
          write_all(ways[first + to].write_end.get(), message.data(), message.size());
        }
      }
    }
    slot.end_ns = now_ns();
    slot.cpu = thread_cpu_times() - before;
  };
  run_team(trial.team, body, control);
  head.joined_ns = now_ns();
  head.gate_ns = control.gate_ns.load(std::memory_order_relaxed);
  control.phase.store(TrialPhase::kMeasured, std::memory_order_release);
}

std::uint64_t groups_progress(const GroupsTrial& trial, const void* memory) {
  std::uint64_t received = 0;
  for (const MemberSlot& slot : slots_of(trial, memory)) {
    received += slot.received.load(std::memory_order_relaxed);
  }
  return received;
}

std::string groups_how_far(const GroupsTrial& trial, const void* memory) {
  const std::uint64_t received = groups_progress(trial, memory);
  if (received == 0) return "";
  return fmt::format("after {} of {} messages", received,
                     total(trial, static_cast<const Head*>(memory)->messages));
}

std::vector<double> groups_values(const GroupsTrial& trial, const void* memory) {
  const Head& head = *static_cast<const Head*>(memory);
  const std::span<const MemberSlot> slots = slots_of(trial, memory);
  MessageTally tally(head.gate_ns);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (is_receiver(trial, i)) tally.add_run(slots[i].start_ns, slots[i].end_ns);
    tally.add_cpu(slots[i].cpu);
  }
  const double duration = tally.last_seconds();
  return {
      static_cast<double>(groups_progress(trial, memory)) / duration,
      duration,
      static_cast<double>(head.joined_ns - head.gate_ns) / 1e9,
      tally.first_seconds(),
      static_cast<double>(tally.cpu().voluntary_switches),
      static_cast<double>(tally.cpu().involuntary_switches),
      tally.cpu().user_seconds,
      tally.cpu().system_seconds,
      static_cast<double>(tally.most_at_once()),
  };
}

}  // namespace futex_bench
