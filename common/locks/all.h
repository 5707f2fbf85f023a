// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// THE list of locks. A lock in it is a mode on the command line, a row of `futex-bench list`, a
/// real-thread test, a TSan test and, if it is ours, a model check.
#pragma once

#include "common/locks/adaptive.h"
#include "common/locks/lock.h"
#include "common/locks/setwait.h"
#include "common/locks/setwait_lite.h"
#include "common/locks/spin.h"
#include "common/locks/system.h"
#include "common/locks/wait.h"
#include "common/locks/wait_xchg.h"

namespace futex_bench {

/// Ours: one source for measuring, for tests on real threads and for the model checker. Sorted by
/// name, one per line.
template <Platform P>
using ModelledLocks = LockList<  //
    AdaptiveLock<P>,             //
    SetwaitLock<P>,              //
    SetwaitLiteLock<P>,          //
    SpinLock<P, Spin<P>>,        //
    SpinLock<P, SpinYield<P>>,   //
    WaitLock<P>,                 //
    WaitXchgLock<P>>;

/// Not ours, for comparison. Sorted by name, one per line.
using SystemLocks = LockList<  //
    NullLock,                  //
    PthreadLock,               //
    PthreadAdaptiveLock,       //
    StdLock>;

}  // namespace futex_bench
