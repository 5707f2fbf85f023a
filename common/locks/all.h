// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// THE list of locks. A lock in it is a mode on the command line, a row of `futex-bench list`, a
/// real-thread test, a TSan test and, if it is ours, a model check.
#pragma once

#include "common/locks/adaptive.h"
#include "common/locks/barging_fair.h"
#include "common/locks/clh.h"
#include "common/locks/cna.h"
#include "common/locks/cohort.h"
#include "common/locks/handoff.h"
#include "common/locks/lock.h"
#include "common/locks/malthusian.h"
#include "common/locks/mcs.h"
#include "common/locks/mutexee.h"
#include "common/locks/one_spinner.h"
#include "common/locks/pi.h"
#include "common/locks/setwait.h"
#include "common/locks/setwait_lite.h"
#include "common/locks/spin.h"
#include "common/locks/starvation.h"
#include "common/locks/system.h"
#include "common/locks/tas.h"
#include "common/locks/ticket.h"
#include "common/locks/ttas_backoff.h"
#include "common/locks/wait.h"
#include "common/locks/wait_xchg.h"

namespace futex_bench {

/// Ours: one source for measuring, for tests on real threads and for the model checker. Sorted by
/// name, one per line.
template <Platform P>
using ModelledLocks = LockList<           //
    AdaptiveLock<P>,                      //
    BargingFairLock<P>,                   //
    WaitXchgLock<P, FutexCall::kBitset>,  //
    ClhLock<P>,                           //
    CnaLock<P>,                           //
    CohortLock<P>,                        //
    HandoffLock<P>,                       //
    MalthusianLock<P, SpinThenPark<P>>,   //
    McsLock<P, Spin<P>>,                  //
    McsLock<P, Park<P>>,                  //
    McsLock<P, SpinThenPark<P>>,          //
    MutexeeLock<P>,                       //
    WaitXchgLock<P, FutexCall::kNuma>,    //
    OneSpinnerLock<P>,                    //
    SetwaitLock<P>,                       //
    SetwaitLiteLock<P>,                   //
    SpinLock<P, Spin<P>>,                 //
    SpinLock<P, SpinYield<P>>,            //
    StarvationLock<P>,                    //
    TasLock<P>,                           //
    TicketLock<P, Spin<P>>,               //
    TicketLock<P, SpinYield<P>>,          //
    TtasBackoffLock<P>,                   //
    WaitLock<P>,                          //
    WaitXchgLock<P>,                      //
    WaitXchgLock<P, FutexCall::kWait2>,   //
    WaitXchgLock<P, FutexCall::kWaitv>>;

/// Whose algorithm is not ours, for comparison. Sorted by name, one per line.
using SystemLocks = LockList<              //
    NullLock,                              //
    PiLock<LinuxPlatform, FUTEX_LOCK_PI>,  //
    PiLock<LinuxPlatform, kFutexLockPi2>,  //
    PthreadLock,                           //
    PthreadAdaptiveLock,                   //
    PthreadPiLock,                         //
    SemLock,                               //
    StdLock>;

}  // namespace futex_bench
