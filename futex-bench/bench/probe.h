// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The probes of `lock --probe`: which there are, which go together, and what they measure. A probe
/// changes what it looks at, so a result names its probes as parameters and is never compared with
/// one that had others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/stats/metric.h"

namespace futex_bench {

/// Which probes a trial has.
struct ProbeSet {
  bool syscalls = false;  ///< the locks run on CountingPlatform
  bool latency = false;   ///< sampled acquisitions are timed
  bool fairness = false;  ///< each acquisition is timed and numbered; the controller samples
  bool perf = false;      ///< counters of the processor and the scheduler, on any loop

  bool any() const { return syscalls || latency || fairness || perf; }
  bool operator==(const ProbeSet&) const = default;
};

/// The words after --probe.
std::vector<std::string> probe_names();

/// The set of these names. Throws UsageError for probes that would disturb each other: syscalls,
/// latency and fairness change the loop, each in its own way.
ProbeSet probe_set(const std::vector<std::string>& names);

/// Its names, joined by '+', in a fixed order.
std::string to_string(const ProbeSet& probes);

/// The metrics of all probes in the set, in the order of the values of lock_trial_values.
std::vector<Metric> probe_metrics(const ProbeSet& probes);

}  // namespace futex_bench
