// SPDX-License-Identifier: BSD-3-Clause
#include "expression/function_names.h"

#include "expression/casts.h"
#include "expression/constants.h"
#include "expression/function_registry.h"
#include "expression/misspellings.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <utility>

namespace skimline {

bool is_built_in_function(std::string_view name) {
  return name == "AnyOf" || name == "AllOf" || cast_target(name) || called_constant(name) ||
         find_function(name);
}

std::string unknown_function(const std::string& name, const UserFunctions& functions) {
  std::vector<std::string> known = function_names();
  for (std::string& each : functions.names()) known.push_back(std::move(each));
  return "unknown function \"" + name + "\"" + meant_function(name, known);
}

void check_names(std::string_view body, const Syntax& syntax, const std::vector<std::string>& parameters,
                 const UserFunctions& functions) {
  const auto fail = [&](const std::string& problem) {
    throw ExpressionError(body, syntax.name_range.offset, syntax.name_range.length, problem);
  };
  if (syntax.kind == SyntaxKind::kName && !named_constant(syntax.name) &&
      std::find(parameters.begin(), parameters.end(), syntax.name) == parameters.end())
    fail("\"" + syntax.name + "\" is not a parameter of the function" +
         did_you_mean(syntax.name, parameters));
  if (syntax.kind == SyntaxKind::kCall && !is_built_in_function(syntax.name) &&
      !functions.contains(syntax.name))
    fail(unknown_function(syntax.name, functions));
  for (const SyntaxPointer& operand : syntax.operands) check_names(body, *operand, parameters, functions);
}

}  // namespace skimline
