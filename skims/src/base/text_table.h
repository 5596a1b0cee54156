// SPDX-License-Identifier: BSD-3-Clause
// Tables of text, and numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// A table in plain text: columns as wide as their widest cell. Columns whose heading begins with '>' are
/// aligned to the right. Cells are one line each, whatever is in them: they go through shown().
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Returns the lines, each with two blanks before it and an end of line after it.
  std::string format() const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

/// Returns how many columns of a terminal a text takes, if each character takes one.
std::size_t width_of(const std::string& text);
/// Returns the text with blanks behind it, or in front of it, up to a width.
std::string padded(const std::string& text, std::size_t width, bool to_the_right);
/// Returns "812 B", "1.23 MB", "45.6 GB"; powers of 1000.
std::string format_bytes(std::uint64_t bytes);
/// Returns the number with blanks between groups of three digits, "5 000 000".
std::string format_count(std::uint64_t count);
/// Returns the number with six significant digits.
std::string format_number(double value);
/// Returns a number with as few digits as tell it from all others of its type; "nan" and "inf" for those that
/// are none.
std::string exact_number(double value);
std::string exact_number(float value);
/// Returns the first of the texts, and how many more there are: "a, b and 7 more".
std::string first_few(const std::vector<std::string>& texts);
/// Returns the text in quotes.
std::string in_quotes(const std::string& text);
/// Returns "1 file" or "1 234 files" for "file".
std::string counted(std::uint64_t count, const std::string& thing);
/// Returns "1 copy" or "1 234 copies" for "copy" and "copies".
std::string counted(std::uint64_t count, const std::string& one, const std::string& many);
/// Returns part / whole as "12.34 %", or "-" if there is no whole.
std::string format_percent(std::uint64_t part, std::uint64_t whole);

}  // namespace skimline::skims
