// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Mutants of a lock: the same source on a machine with one fault (mutation.h), at every place of
/// the source and of every kind that makes sense there.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/model/explorer.h"

namespace futex_bench::model {

/// A program and how far to explore it.
struct Workload {
  Bounds bounds;
  ProgramFactory make;
};

/// What became of a mutant.
struct MutantVerdict {
  Mutation mutation;
  std::string source;  ///< the line of the site, without blanks around; empty if not found
  bool caught = false;
  bool exhausted = true;        ///< if it survived: all schedules were run
  std::uint64_t schedules = 0;  ///< until it was caught, or in all
  std::string failure;          ///< first line
};

/// Every fault that makes sense at the sites. Relaxing what is relaxed is no fault.
std::vector<Mutation> mutations_at(const std::set<Site>& sites);

/// Collects the sites of the workloads by exploring them a little without a fault, then runs every mutant in
/// each workload until one catches it. Sites of files whose path does not contain `folder` are left
/// alone.
std::vector<MutantVerdict> try_mutants(const std::vector<Workload>& workloads,
                                       std::string_view folder);

}  // namespace futex_bench::model
