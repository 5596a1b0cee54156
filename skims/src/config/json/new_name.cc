// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/new_name.h"

#include "config/json/letters.h"

#include "skimline/skims/config.h"

#include <algorithm>
#include <array>

namespace skimline::skims {
namespace {

// Names that mean something else in every expression.
constexpr std::array<std::string_view, 9> kWords{"true",   "false",     "and",   "or",     "not",
                                                 "entry_", "rdfentry_", "file_", "sample_"};

constexpr std::array<std::string_view, 2> kGivenNames{kEventWeight, kNormalisation};

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_given_name(std::string_view name) { return is_one_of(kGivenNames, name); }

bool is_reserved(std::string_view name) { return is_one_of(kWords, name) || is_given_name(name); }

bool is_identifier(std::string_view name) {
  return begins_with_letter(name) && consists_of(name, {kLetters, kDigits}) && !is_reserved(name);
}

std::string problem_of_new_name(std::string_view name, const std::string& what) {
  if (is_identifier(name)) return "";
  const std::string begin = "\"" + std::string(name) + "\" cannot name " + what;
  if (is_given_name(name)) return begin + ": expressions have this name from the program";
  if (is_reserved(name)) return begin + ": it is a word of the expression language";
  return begin + ": use letters, digits and \"_\", and begin with no digit";
}

}  // namespace skimline::skims
