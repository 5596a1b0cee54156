// SPDX-License-Identifier: BSD-3-Clause
#include "name_checks.h"

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

bool is_word(std::string_view name) { return std::find(kWords.begin(), kWords.end(), name) != kWords.end(); }

}  // namespace

bool is_identifier(std::string_view name) {
  return begins_with_letter(name) && consists_of(name, {kLetters, kDigits}) && !is_word(name);
}

// Regions such as "4j1b" begin with a digit.
bool is_object_name(std::string_view name) {
  return !name.empty() && consists_of(name, {kLetters, kDigits, "-."});
}

void check_object_name(const Text& name, const std::string& what, Diagnostics& diagnostics) {
  if (!is_object_name(name.value))
    diagnostics.add(name.location, "\"" + name.value + "\" cannot name " + what +
                                       ": use letters, digits, \"_\", \"-\", \".\"");
}

void check_identifier(const Text& name, const std::string& what, Diagnostics& diagnostics) {
  if (is_identifier(name.value)) return;
  diagnostics.add(name.location,
                  "\"" + name.value + "\" cannot name " + what +
                      (is_word(name.value) ? ": it is a word of the expression language"
                                           : ": use letters, digits and \"_\", and begin with no digit"));
}

void check_column_name(const Text& name, Diagnostics& diagnostics) {
  if (begins_with_letter(name.value) && consists_of(name.value, {kLetters, kDigits, "."})) return;
  diagnostics.add(name.location, "\"" + name.value +
                                     "\" cannot be a column: use letters, digits, \"_\" and \".\", "
                                     "and begin with no digit");
}

}  // namespace skimline::skims
