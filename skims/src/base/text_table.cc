// SPDX-License-Identifier: BSD-3-Clause
#include "base/text_table.h"

#include "skimline/framework/number_text.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace skimline::skims {
namespace {

template <typename Number>
std::string shortest_text(Number value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = shown(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::format() const {
  std::vector<std::vector<std::string>> rows{headings_};
  std::vector<bool> to_the_right;
  for (std::string& heading : rows.front()) {
    to_the_right.push_back(heading.starts_with('>'));
    if (to_the_right.back()) heading.erase(0, 1);
  }
  rows.insert(rows.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widths(headings_.size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += "  " + padded(row[i], widths[i], to_the_right[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string exact_number(double value) { return shortest_text(value); }
std::string exact_number(float value) { return shortest_text(value); }

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fixed_digits(value, decimals) + " " + kUnits[unit];
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

std::string format_number(double value) { return significant_digits(value, 6); }

std::string first_few(const std::vector<std::string>& texts) {
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(texts.size(), kShown); ++i) list += (i == 0 ? "" : ", ") + texts[i];
  return list + (texts.size() > kShown ? " and " + std::to_string(texts.size() - kShown) + " more" : "");
}

std::string format_percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fixed_digits(100 * static_cast<double>(part) / static_cast<double>(whole), 2) + " %";
}

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

std::string counted(std::uint64_t count, const std::string& thing) {
  return counted(count, thing, thing + "s");
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return format_count(count) + " " + (count == 1 ? one : many);
}

}  // namespace skimline::skims
