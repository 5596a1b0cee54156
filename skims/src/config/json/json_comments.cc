// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/json_comments.h"

#include <algorithm>
#include <string_view>

namespace skimline::skims {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r'; }

void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
      [](char letter) { return letter != '\n'; }, ' ');
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return text.size();
}

// End of the comment that begins at `begin`, or `begin` if none does.
std::size_t end_of_comment(std::string_view text, std::size_t begin, Diagnostics& diagnostics,
                           std::size_t text_begin) {
  const std::string_view opening = text.substr(begin, 2);
  if (opening == "//") return std::min(text.find('\n', begin), text.size());
  if (opening != "/*") return begin;
  const std::size_t closing = text.find("*/", begin + 2);
  if (closing != std::string_view::npos) return closing + 2;
  diagnostics.add({text_begin + begin, text_begin + begin + 2}, "this comment does not end");
  return text.size();
}

void blank_all_comments(std::string& text, Diagnostics& diagnostics, std::size_t text_begin) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t comment_end = end_of_comment(text, at, diagnostics, text_begin);
    blank(text, at, comment_end);
    at = text[at] == '"' ? end_of_string(text, at) : std::max(comment_end, at + 1);
  }
}

// A comma is a trailing one if a value stands before it: "[,]" stays wrong.
void blank_trailing_commas(std::string& text) {
  std::string_view before_nothing = "[{,:";
  char before_comma = '[', last = '[';
  std::size_t comma = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    if (is_blank(letter)) {
      ++at;
      continue;
    }
    const bool closes = letter == ']' || letter == '}';
    if (closes && last == ',' && before_nothing.find(before_comma) == std::string_view::npos)
      text[comma] = ' ';
    if (letter == ',') {
      before_comma = last;
      comma = at;
    }
    last = letter;
    at = letter == '"' ? end_of_string(text, at) : at + 1;
  }
}

}  // namespace

std::string blank_comments(std::string text, Diagnostics& diagnostics, std::size_t begin) {
  if (text.starts_with(kByteOrderMark)) blank(text, 0, kByteOrderMark.size());
  blank_all_comments(text, diagnostics, begin);
  blank_trailing_commas(text);
  return text;
}

}  // namespace skimline::skims
