// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The options that every command understands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "futex-bench/bench/option.h"

namespace futex_bench {

/// What the user asked for besides the command. What is empty or absent was not given.
struct GlobalOptions {
  std::string format;                       ///< one of the names given to global_options()
  std::string output;                       ///< a file for the results
  std::optional<std::uint64_t> repeat;      ///< trials per point
  std::optional<double> runtime;            ///< seconds per trial
  std::optional<double> warmup;             ///< seconds per trial of the discarded round
  std::optional<std::uint64_t> seed;        ///< of the order of trials
  std::string order = "random";             ///< within a round: random, latin or sequential
  std::optional<double> precision;          ///< half width of the interval to reach, in percent
  std::optional<std::uint64_t> max_repeat;  ///< trials per point, with precision
  std::optional<double> max_time;           ///< seconds of the run, with precision
  std::optional<std::uint64_t> retry_disturbed;  ///< times per round
  std::optional<std::uint64_t> dma_latency;      ///< microseconds, to hold in /dev/cpu_dma_latency
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
  bool quick = false;
  bool thorough = false;
  std::string color = "auto";  ///< auto, always or never
  std::vector<std::pair<std::string, std::string>> tags;
  std::string kernel_label;  ///< recorded as the tag "kernel"

  bool format_given() const { return !format.empty(); }
};

/// The table of the global options, bound to the members of `values`, which must outlive it.
/// `formats` are the names of the output formats.
std::vector<Option> global_options(GlobalOptions& values, const std::vector<std::string>& formats);

}  // namespace futex_bench
