// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/column_name.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline {
namespace {

constexpr char kQuote = '`';

// Words that are no names, however they are written around.
constexpr std::string_view kWords[] = {"true",  "false", "and",   "or",     "not",   "bitand",
                                       "bitor", "xor",   "compl", "not_eq", "return"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

bool is_plain_part(std::string_view part) {
  return !part.empty() && is_letter(part.front()) &&
         std::all_of(part.begin(), part.end(), is_letter_or_digit) &&
         std::find(std::begin(kWords), std::end(kWords), part) == std::end(kWords);
}

bool is_plain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_plain_part(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string in_expression(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string quoted(1, kQuote);
  for (const char letter : name) quoted.append(letter == kQuote ? 2 : 1, letter);
  return quoted + kQuote;
}

std::optional<std::string> quoted_name(std::string_view text) {
  if (text.size() < 3 || text.front() != kQuote || text.back() != kQuote) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    name += text[i];
    if (text[i] == kQuote && (++i == text.size() || text[i] != kQuote)) return std::nullopt;
  }
  return name;
}

std::string did_you_mean_column(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? nearest : " (did you mean \"" + in_expression(nearest) + "\"?)";
}

}  // namespace skimline
