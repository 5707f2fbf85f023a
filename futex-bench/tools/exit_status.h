// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What the exit status of the program says. After a signal it is 128 plus its number.
#pragma once

namespace futex_bench {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;      ///< a run or a write failed, or a lock is broken
inline constexpr int kExitUsage = 2;       ///< what was asked for makes no sense; nothing started
inline constexpr int kExitIncomplete = 3;  ///< finished, but points were skipped or trials failed
inline constexpr int kExitRegression = 4;  ///< compare: shown to be worse, beyond the limit
inline constexpr int kExitNothing = 77;    ///< nothing of what was asked for can run on this kernel
inline constexpr int kExitSignal = 128;

}  // namespace futex_bench
