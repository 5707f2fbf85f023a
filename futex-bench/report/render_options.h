// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// What a reader may ask of every output format.
#pragma once

namespace futex_bench {

/// Formats for machines (simple, csv, json, jsonl) are always complete and plain and ignore both.
struct RenderOptions {
  bool verbose = false;  ///< every metric of a point, and every reason why a trial is not plain ok
  bool color = false;    ///< ANSI colours; text only
};

}  // namespace futex_bench
