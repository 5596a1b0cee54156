// SPDX-License-Identifier: BSD-3-Clause
#include "unused_functions.h"

#include "expression_places.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace skimline::skims {
namespace {

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == text[begin])
      return at + 1;
  }
  return text.size();
}

// All names in an expression, those within strings left out.
std::set<std::string> names_in(std::string_view expression) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < expression.size();) {
    if (expression[at] == '"' || expression[at] == '\'') {
      at = end_of_string(expression, at);
    } else if (!is_in_name(expression[at])) {
      ++at;
    } else {
      std::size_t end = at;
      while (end < expression.size() && is_in_name(expression[end])) ++end;
      names.emplace(expression.substr(at, end - at));
      at = end;
    }
  }
  return names;
}

std::string name_of(const FunctionConfig& function) {
  const std::string& signature = function.signature.value;
  const std::size_t begin = std::min(signature.find_first_not_of(' '), signature.size());
  std::size_t end = begin;
  while (end < signature.size() && is_in_name(signature[end])) ++end;
  return signature.substr(begin, end - begin);
}

}  // namespace

void warn_of_unused_functions(Config& config) {
  std::set<std::string> used;
  for (const Text* expression : expressions_outside_functions(config))
    used.merge(names_in(expression->value));
  std::vector<const FunctionConfig*> unused;
  // A function may call those above it.
  for (auto function = config.functions.rbegin(); function != config.functions.rend(); ++function) {
    if (used.contains(name_of(*function)))
      used.merge(names_in(function->body.value));
    else if (!is_included(*config.source, function->signature.location))
      unused.push_back(&*function);
  }
  std::reverse(unused.begin(), unused.end());
  for (const CorrectionConfig& correction : config.corrections)
    if (!used.contains(correction.name.value) && !is_included(*config.source, correction.name.location))
      config.warnings.push_back(
          marked_message(*config.source, correction.name.location, "warning",
                         "the correction \"" + correction.name.value + "\" is not used"));
  for (const FunctionConfig* function : unused)
    config.warnings.push_back(marked_message(*config.source, function->signature.location, "warning",
                                             "the function \"" + name_of(*function) + "\" is not used"));
}

}  // namespace skimline::skims
