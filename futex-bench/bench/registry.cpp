// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/registry.h"

#include <array>

#include "futex-bench/bench/lock.h"
#include "futex-bench/bench/messaging.h"
#include "futex-bench/bench/wake_latency.h"

namespace futex_bench {
namespace {

template <class B>
std::unique_ptr<Benchmark> make() {
  return std::make_unique<B>();
}

constexpr auto kBenchmarks = std::to_array<BenchmarkEntry>({
    {"lock", "lock and unlock under contention, 1 to 1024 threads, many kinds of lock",
     make<LockBenchmark>},
    {"wake-latency", "from the call that wakes a sleeping process or thread until it runs",
     make<WakeLatencyBenchmark>},
    {"messaging", "pairs that exchange messages: pipes, sockets, condition variables, futexes",
     make<MessagingBenchmark>},
});

}  // namespace

std::span<const BenchmarkEntry> benchmarks() { return kBenchmarks; }

}  // namespace futex_bench
