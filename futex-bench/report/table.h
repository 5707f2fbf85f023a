// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// A table as data, and its two forms: aligned text and GitHub's Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace futex_bench {

/// What a piece of text means; the terminal gives it a colour.
enum class Style : std::uint8_t { kPlain, kHeading, kGood, kBad, kNotable };

/// The text between the escape sequences of its style, or as it is if `color` is false.
std::string styled(std::string_view text, Style style, bool color);

/// One cell.
struct Cell {
  std::string text;
  Style style = Style::kPlain;
};

/// Columns and rows; every row has as many cells as there are columns.
struct Table {
  struct Column {
    std::string title;
    bool left = false;  ///< words stand left, numbers right
  };
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Columns of a terminal that a UTF-8 text takes, one per code point.
std::size_t display_width(std::string_view text);

/// The text with spaces up to `width` columns, before it or (`left`) behind it.
std::string padded(std::string_view text, std::size_t width, bool left);

/// The widest line of table_text.
std::size_t table_width(const Table& table);

/// One line per row under one of titles, indented by one space, no spaces at line ends.
std::string table_text(const Table& table, bool color);

/// The same as a pipe table, with what Markdown would take for mark-up escaped.
std::string table_markdown(const Table& table);

/// Text with the characters escaped that Markdown or HTML would act on.
std::string escape_markdown(std::string_view text);

}  // namespace futex_bench
