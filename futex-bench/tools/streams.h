// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The standard streams, whatever state the program was started with.
#pragma once

#include <string_view>

namespace futex_bench {

/// To be called first. Opens what is closed of descriptors 0 to 2, so that no result file gets one of
/// these numbers: stdin and stderr as /dev/null, stdout as something that cannot be written to, because
/// results that go nowhere are an error. Makes a reader that went away and a limit on file sizes errors
/// of the write (EPIPE, EFBIG) instead of the end of the program.
void prepare_streams();

/// Prints "futex-bench: TEXT" as a line on stderr. What cannot be told is no reason to lose a result, so
/// errors are ignored.
void tell(std::string_view text);

/// Writes results to stdout. If its reader has gone away, ends the program as SIGPIPE does. Throws
/// std::system_error for every other error.
void print(std::string_view text);

}  // namespace futex_bench
