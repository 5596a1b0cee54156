// SPDX-License-Identifier: BSD-3-Clause
#include "config/json/name_checks.h"

#include "config/json/letters.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/schema.h"

namespace skimline::skims {
namespace {

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

}  // namespace

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
  const std::string problem = problem_of_new_name(name.value, what);
  if (!problem.empty()) diagnostics.add(name.location, problem);
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
