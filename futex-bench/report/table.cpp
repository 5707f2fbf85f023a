// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace futex_bench {

namespace {

constexpr std::string_view kGap = "  ";

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = display_width(table.columns[i].title);
    for (const auto& row : table.rows) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  return widths;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::string styled(std::string_view text, Style style, bool color) {
  if (!color || text.empty()) return std::string(text);
  switch (style) {
    case Style::kPlain:
      return std::string(text);
    case Style::kHeading:
      return fmt::format("\033[1m{}\033[0m", text);
    case Style::kGood:
      return fmt::format("\033[32m{}\033[0m", text);
    case Style::kBad:
      return fmt::format("\033[31m{}\033[0m", text);
    case Style::kNotable:
      return fmt::format("\033[33m{}\033[0m", text);
  }
  return std::string(text);
}

std::size_t display_width(std::string_view text) {
  // Bytes 10xxxxxx continue a code point.
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::string padded(std::string_view text, std::size_t width, bool left) {
  const std::size_t used = display_width(text);
  const std::string fill(width > used ? width - used : 0, ' ');
  return left ? std::string(text) + fill : fill + std::string(text);
}

std::size_t table_width(const Table& table) {
  const std::vector<std::size_t> widths = column_widths(table);
  if (widths.empty()) return 0;
  return std::accumulate(widths.begin(), widths.end(), std::size_t{1}) +
         kGap.size() * (widths.size() - 1);
}

std::string table_text(const Table& table, bool color) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += i == 0 ? " " : kGap;
    text += padded(table.columns[i].title, widths[i], table.columns[i].left);
  }
  end_line(text);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? " " : kGap;
      const std::string cell = padded(row[i].text, widths[i], table.columns[i].left);
      text += row[i].text.empty() ? cell : styled(cell, row[i].style, color);
    }
    end_line(text);
  }
  return text;
}

std::string escape_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
      continue;
    }
    if (c == '|' || c == '\\' || c == '*' || c == '`') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string table_markdown(const Table& table) {
  std::string text = "|";
  std::string rule = "|";
  for (const Table::Column& column : table.columns) {
    text += fmt::format(" {} |", escape_markdown(column.title));
    rule += column.left ? " :--- |" : " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) text += fmt::format(" {} |", escape_markdown(cell.text));
    text += "\n";
  }
  return text;
}

}  // namespace futex_bench
