// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Reading JSON with messages that say where what is wrong. Included by json*.cpp alone, for the
/// library's sake.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/system/error.h"
#include "futex-bench/report/number_text.h"

namespace futex_bench {

/// Throws UsageError, one line: "FILE: REASON".
[[noreturn]] inline void refuse(std::string_view file, std::string_view reason) {
  throw UsageError(one_line(fmt::format("{}: {}", file, reason)));
}

/// A value of the document that knows where it stands. Whatever it is asked for and is not, it throws
/// UsageError with its place and what is wrong.
class Node {
 public:
  /// Keeps the order of members: that of parameters and environment fields means something.
  using Json = nlohmann::ordered_json;

  Node(const Json& value, std::string path, const std::string& file)
      : value_(value), path_(std::move(path)), file_(file) {}

  [[noreturn]] void fail(std::string_view what) const {
    refuse(file_, path_.empty() ? std::string(what) : fmt::format("{} {}", path_, what));
  }

  Node member(const std::string& key) const {
    require_object();
    const auto found = value_.find(key);
    if (found == value_.end()) child(value_, key).fail("is missing");
    return child(*found, key);
  }

  /// Nothing if there is no such member: files of earlier releases lack some.
  std::optional<Node> optional_member(const std::string& key) const {
    require_object();
    const auto found = value_.find(key);
    if (found == value_.end()) return std::nullopt;
    return child(*found, key);
  }

  std::vector<Node> items() const {
    if (!value_.is_array()) fail("is not an array");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      nodes.emplace_back(value_[i], fmt::format("{}[{}]", path_, i), file_);
    }
    return nodes;
  }

  std::vector<std::pair<std::string, Node>> members() const {
    require_object();
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& [key, value] : value_.items()) nodes.emplace_back(key, child(value, key));
    return nodes;
  }

  bool is_null() const { return value_.is_null(); }

  std::string text() const {
    if (!value_.is_string()) fail("is not a text");
    return value_.get<std::string>();
  }

  bool flag() const {
    if (!value_.is_boolean()) fail("is neither true nor false");
    return value_.get<bool>();
  }

  double number() const {
    if (!value_.is_number()) fail("is not a number");
    return value_.get<double>();
  }

  double number_or_null() const {
    return is_null() ? std::numeric_limits<double>::quiet_NaN() : number();
  }

  double seconds() const {
    const double value = number();
    if (value < 0) fail("is negative");
    return value;
  }

  std::uint64_t count(std::uint64_t max = std::numeric_limits<unsigned>::max()) const {
    if (!value_.is_number_unsigned() || value_.get<std::uint64_t>() > max) {
      fail(fmt::format("is not a whole number from 0 to {}", max));
    }
    return value_.get<std::uint64_t>();
  }

  /// An enumerator by its name in one of the tables of stable_names.h.
  template <class Table>
  auto name_of(const Table& table) const {
    const std::string name = text();
    for (const auto& [enumerator, known] : table) {
      if (known == name) return enumerator;
    }
    fail(fmt::format("is \"{}\", which this program does not know", name));
  }

 private:
  void require_object() const {
    if (!value_.is_object()) fail("is not an object");
  }

  Node child(const Json& value, const std::string& key) const {
    return {value, path_.empty() ? key : path_ + "." + key, file_};
  }

  const Json& value_;
  std::string path_;
  const std::string& file_;
};

}  // namespace futex_bench
