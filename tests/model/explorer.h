// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The explorer: runs a small program under every schedule within stated bounds, by depth-first
/// search over the decisions of a run (stateless model checking as in Godefroid, "Model Checking
/// for Programming Languages using VeriSoft", POPL 1997; bounded by preemptions as in Musuvathi and
/// Qadeer, "Iterative Context Bounding", PLDI 2007).
///
/// It finds: broken mutual exclusion and other failed require()s; data races on Var, by happens-
/// before with release, acquire, relaxed and fences as the program wrote them; lost wake-ups, as
/// threads that sleep with nobody left to wake them; spinning for ever; use of an atomic after its
/// end, or without being ordered after its beginning or before its end.
///
/// It does not cover, and a pass says nothing about:
/// - reordering of atomic accesses beyond x86's store buffers: no load buffering (LB), no stores
///   seen in different orders by different threads (IRIW), no relaxed load that reads an old value.
///   An order that is too weak is found only where plain data (Var) or an atomic's lifetime depends
///   on it, or a store buffer shows it;
/// - plain members of a lock: ThreadSanitizer on real threads looks at those;
/// - priority inheritance and every lock whose algorithm is the kernel's or glibc's;
/// - time: no timeouts; the clock stands still, or jumps ahead by a second as an injection; random
///   numbers are 0, or all ones as an injection; a program can ask for both always (hurries());
/// - the many system calls that do what FUTEX_WAIT and FUTEX_WAKE do: all are one here;
/// - futex queues in another order than first in, first out.
#pragma once

#include <memory>
#include <set>
#include <string_view>

#include "tests/model/bounds.h"
#include "tests/model/mutation.h"
#include "tests/model/program.h"

namespace futex_bench::model {

/// Runs the program under every schedule within the bounds, until one fails or the budget is used
/// up. With a mutation, the program's machine has that fault. If `sites` is not null, the places of
/// all operations that were run are added to it.
Result explore(const Bounds& bounds, const ProgramFactory& make, const Mutation& mutation = {},
               std::set<Site>* sites = nullptr);

/// Runs the one schedule that a replay string (Result::replay) names and records its steps in
/// Result::trace. The program has to be the same; bounds are in the string. A string that does not
/// fit the program gives a failed result that says so; one that is malformed throws
/// std::invalid_argument.
Result replay(std::string_view text, const ProgramFactory& make, const Mutation& mutation = {});

/// The same for a default-constructible program class.
template <class P>
Result explore(const Bounds& bounds) {
  return explore(bounds, [] { return std::make_unique<P>(); });
}
template <class P>
Result replay(std::string_view text) {
  return replay(text, [] { return std::make_unique<P>(); });
}

}  // namespace futex_bench::model
