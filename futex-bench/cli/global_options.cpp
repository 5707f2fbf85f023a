// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/cli/global_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace futex_bench {
namespace {

/// The kernel takes it for "no limit".
constexpr std::uint64_t kMaxDmaLatencyUs = 2'000'000'000;

}  // namespace

std::vector<Option> global_options(GlobalOptions& values, const std::vector<std::string>& formats) {
  return {
      {"--format", "NAME", fmt::format("How to print results: {}.", fmt::join(formats, ", ")),
       ChoiceTarget{&values.format, formats}},
      {"--output", "FILE",
       "Write results to FILE as well as a table to stdout. The format is --format or what the "
       "extension "
       "says (.json .jsonl .csv .md .txt). FILE is opened before measuring and replaced at the "
       "end.",
       TextTarget{&values.output}},
      {"--repeat", "N",
       "Trials per point, each in a new process, 1 to 10000. Default: 6 for wake-latency, 1 for "
       "messaging, else 9, or with several modes as many as it takes to show a difference between "
       "them.",
       CountTarget{&values.repeat, 1, 10'000}},
      {"--runtime", "SEC", "Seconds that each trial measures, 0.001 to 86400. Default: 0.2.",
       RealTarget{&values.runtime, 0.001, 86'400}},
      {"--warmup", "SEC",
       "Seconds of each trial of the first, discarded round, which also checks the result, 0 (no "
       "such "
       "round) to 86400. Default: 0.05.",
       RealTarget{&values.warmup, 0, 86'400}},
      {"--seed", "N",
       "Seed of the random order of trials, 0 to 2^64-1. Default: a random one, recorded.",
       CountTarget{&values.seed, 0, UINT64_MAX}},
      {"--order", "NAME",
       "Order within a round: random (the default), latin (modes of one thread count one right "
       "after the other, each in each place equally often) or sequential (as in the report).",
       ChoiceTarget{&values.order, {"random", "latin", "sequential"}}},
      {"--precision", "PCT",
       "After --repeat rounds go on with the points whose 95 % interval is wider than +-PCT "
       "percent "
       "of the median, 0.01 to 100. Stops on width only, never because a difference shows.",
       RealTarget{&values.precision, 0.01, 100}},
      {"--max-repeat", "N",
       "With --precision: at most N trials per point, 1 to 10000. Default: 50, or --repeat if that "
       "is more.",
       CountTarget{&values.max_repeat, 1, 10'000}},
      {"--max-time", "SEC",
       "With --precision: no further trial after SEC seconds, 0.001 to 1e6; --repeat rounds are "
       "run "
       "in any case. Default: no limit.",
       RealTarget{&values.max_time, 0.001, 1e6}},
      {"--retry-disturbed", "N",
       "Measure a trial that others disturbed up to N more times within its round, 0 to 100. It is "
       "kept and flagged, and counts only if no undisturbed one is to be had. Default: 2.",
       CountTarget{&values.retry_disturbed, 0, 100}},
      {"--quick", "", "6 trials of 0.1 s per point: a first look.", FlagTarget{&values.quick}},
      {"--thorough", "", "20 trials of 1 s per point: narrow intervals.",
       FlagTarget{&values.thorough}},
      {"--tag", "KEY=VALUE", "Record KEY=VALUE with the results. May be repeated.",
       TagsTarget{&values.tags}},
      {"--kernel-label", "TEXT",
       "What the kernel under test is to be called, where its release does not tell builds apart. "
       "Recorded as the tag kernel.",
       TextTarget{&values.kernel_label}},
      {"--dma-latency", "US",
       "Keep processors out of idle states that take more than US microseconds to leave, 0 to 2e9, "
       "while the run lasts (/dev/cpu_dma_latency; needs root). 0 lets idle processors poll.",
       CountTarget{&values.dma_latency, 0, kMaxDmaLatencyUs}},
      {"--dry-run", "", "Show what would run and how long it takes, and measure nothing.",
       FlagTarget{&values.dry_run}},
      {"--quiet", "", "No progress and no notes.", FlagTarget{&values.quiet}},
      {"--verbose", "", "More detail about the run.", FlagTarget{&values.verbose}},
      {"--color", "WHEN", "Colour on a terminal: auto (the default), always or never.",
       ChoiceTarget{&values.color, {"auto", "always", "never"}}},
  };
}

}  // namespace futex_bench
