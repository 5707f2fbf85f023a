// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The decisions of a run, in order. Depth-first search is: run with the trail, change its last
/// decision that still has an alternative, forget the ones behind it, run again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench::model {

/// The decisions of a run and the place of the run in them.
class Trail {
 public:
  /// Most alternatives of one decision: what one character of a replay string can name.
  static constexpr int kMostAlternatives = 36;

  /// One of 0 .. alternatives-1: the recorded decision, or 0 where nothing is recorded yet.
  /// 2 .. kMostAlternatives alternatives. Returns -1 if the recorded number of alternatives
  /// differs: the program is not deterministic, or the replay string belongs to another one.
  int choose(int alternatives);

  /// Goes back to the first decision, keeping all of them.
  void rewind() { position_ = 0; }

  /// Turns the trail into that of the next schedule; false if this one was the last.
  bool advance();

  /// One character (0-9, a-z) a decision; zeros at the end are left out.
  std::string text() const;

  /// The inverse of text(). Throws std::invalid_argument at any other character.
  static Trail parse(std::string_view text);

 private:
  struct Decision {
    std::uint8_t taken;
    std::uint8_t alternatives;  // 0: from a replay string, not known yet
  };
  std::vector<Decision> decisions_;
  std::size_t position_ = 0;
};

}  // namespace futex_bench::model
