// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/name_checks.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace skimline::skims {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view kDigits = "0123456789";

// Names that mean something else in every expression.
constexpr std::array<std::string_view, 9> kWords{"true",   "false",     "and",   "or",     "not",
                                                 "entry_", "rdfentry_", "file_", "sample_"};

bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::any_of(alphabets.begin(), alphabets.end(), [&](std::string_view alphabet) {
      return alphabet.find(letter) != std::string_view::npos;
    });
  });
}

bool begins_with_letter(std::string_view name) {
  return !name.empty() && kLetters.find(name.front()) != std::string_view::npos;
}

// C0, DEL, and in UTF-8 C1 and the separators of lines and paragraphs.
bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    if (text.substr(i, 3) == "\u2028" || text.substr(i, 3) == "\u2029") return true;
  }
  return false;
}

bool is_word(std::string_view name) { return std::find(kWords.begin(), kWords.end(), name) != kWords.end(); }

}  // namespace

bool is_identifier(std::string_view name) {
  return begins_with_letter(name) && consists_of(name, {kLetters, kDigits}) && !is_word(name);
}

// Regions such as "4j1b" begin with a digit.
bool is_object_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && consists_of(name, {kLetters, kDigits, "-."});
}

std::string legal_object_name(std::string_view name) {
  std::string legal;
  for (const char letter : name) {
    const bool is_legal = letter == '.' || is_object_name(std::string_view(&letter, 1));
    if (is_legal || !legal.empty()) legal += is_legal ? letter : '_';
  }
  return legal;
}

void check_shown_name(const Text& name, const std::string& what, Diagnostics& diagnostics) {
  if (has_control_characters(name.value))
    diagnostics.add(name.location, what + " must not hold control characters");
}

void check_object_name(const Text& name, const std::string& what, Diagnostics& diagnostics) {
  if (!is_object_name(name.value))
    diagnostics.add(name.location, (has_control_characters(name.value) ? "a name with control characters"
                                                                       : "\"" + name.value + "\"") +
                                       " cannot name " + what + ": use letters, digits, \"_\", \"-\", \".\"");
}

void check_identifier(const Text& name, const std::string& what, Diagnostics& diagnostics) {
  if (is_identifier(name.value)) return;
  diagnostics.add(name.location,
                  "\"" + name.value + "\" cannot name " + what +
                      (is_word(name.value) ? ": it is a word of the expression language"
                                           : ": use letters, digits and \"_\", and begin with no digit"));
}

void check_column_pattern(const Text& name, Diagnostics& diagnostics) {
  const bool begins_right = begins_with_letter(name.value) || has_wildcards(name.value.substr(0, 1));
  if (begins_right && consists_of(name.value, {kLetters, kDigits, ".*?"})) return;
  diagnostics.add(name.location, "\"" + name.value +
                                     "\" cannot be a column: use letters, digits, \"_\" and \".\", "
                                     "and begin with no digit; \"*\" and \"?\" make it a pattern");
}

Text unquoted(const Text& name) { return {quoted_name(name.value).value_or(name.value), name.location}; }

Text column_name(const Text& name, Diagnostics& diagnostics) {
  Text column = unquoted(name);
  if (column.value == name.value && in_expression(name.value) != name.value)
    diagnostics.add(name.location,
                    "\"" + name.value +
                        "\" is no name of a column: with other characters than letters, digits, "
                        "\"_\" and \".\" it stands in back-quotes, \"" +
                        in_expression(name.value) + "\"");
  return column;
}

}  // namespace skimline::skims
