// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What makes figures less trustworthy: causes with their size and what to type against them. Pure
/// functions; nothing here looks at the machine, and nothing ever changes it.
///
/// Ids are stable. Before the run (environment_warnings):
///   governor turbo freq-range affinity quota smt vm clocksource debug-build sanitizer timer-slack
///   numa-balancing mixed-cores oversubscribed
/// After it (circumstance_warnings, run_warnings):
///   steal throttled busy unwatched thermal suspended disturbed migrated short-run unstable bimodal
///   slow-first not-overlapping precision
/// `doctor` adds thread-limit.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/system/environment.h"
#include "futex-bench/report/result.h"

namespace futex_bench {

/// What the environment fields do not say.
struct MachineFacts {
  unsigned allowed_cpus = 1;
  double clock_cost_ns = 0;        ///< of one reading; 0 if not measured
  std::string cpus_allowed_after;  ///< as the field cpus_allowed, after the run; empty: unknown
};

/// What to type against weak figures, which differs by benchmark.
struct Remedies {
  std::string longer_trials;
  std::string fixed_placement;
};

/// What can be known without measuring. A field that is missing or unknown warns of nothing.
std::vector<Warning> environment_warnings(std::span<const EnvironmentField> environment,
                                          const MachineFacts& facts);

/// What the points asked for make of the machine: more threads than processors, shared cores.
std::vector<Warning> plan_warnings(const RunResult& result, const MachineFacts& facts);

/// What others did while something was measured.
struct Circumstances {
  std::span<const std::pair<std::string, double>> figures;  ///< TrialSample::circumstances
  bool disturbed = false;
};
std::vector<Warning> circumstance_warnings(std::span<const Circumstances> trials,
                                           std::span<const EnvironmentField> environment);

/// What the trials say: everything from circumstance_warnings on, but precision.
std::vector<Warning> run_warnings(const RunResult& result, const MachineFacts& facts,
                                  const Remedies& remedies);

/// The points, by their index, that did not reach the precision asked for.
Warning precision_warning(const RunResult& result, const std::vector<std::size_t>& points,
                          double percent, bool out_of_time, const Remedies& remedies);

/// Worth recording, but nothing that one could or should do something about.
bool is_information(std::string_view id);

}  // namespace futex_bench
