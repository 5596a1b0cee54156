// SPDX-License-Identifier: BSD-3-Clause
#include "expression/user_functions.h"

#include "expression/constants.h"
#include "expression/declaration_reader.h"
#include "expression/function_names.h"
#include "expression/range_functions.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <utility>

namespace skimline {
namespace {

[[noreturn]] void fail(std::string_view text, TextRange range, const std::string& problem) {
  throw ExpressionError(text, range.offset, range.length, problem);
}

// "name(a, b)", "float name(float a, const RVecF &b)"
UserFunction parse_signature(std::string_view signature) {
  DeclarationReader reader(signature);
  const TextRange begin = reader.peek().range;
  Declaration declared = reader.name_with_type("a function");
  UserFunction function;
  function.name = unqualified(declared.name);
  function.result = std::move(declared.type);
  function.signature = signature;
  const TextRange name_range = reader.last().range;
  if (!reader.is_punctuation('('))
    fail(signature, begin, "expected a function with its parameters, as in \"is_central(pt, eta)\"");
  if (is_built_in_function(function.name))
    fail(signature, name_range, "\"" + function.name + "\" is a function of the language");
  reader.take();
  while (!reader.is_punctuation(')')) {
    Declaration parameter = reader.name_with_type("a parameter");
    if (function.parameter(parameter.name))
      fail(signature, reader.last().range, "the parameter \"" + parameter.name + "\" is named twice");
    function.parameters.push_back(std::move(parameter));
    if (!reader.accept(',')) break;
  }
  reader.expect(')', "or ',' behind the parameters of \"" + function.name + "\"");
  if (reader.peek().kind != TokenKind::kEnd) reader.fail("expected the end, found " + shown(reader.peek()));
  return function;
}

// The body of a function names its parameters, the built-in functions and `functions` only.
void check_names(std::string_view body, const Syntax& syntax, std::vector<std::string> known,
                 const UserFunctions& functions, SuggestionLimit& suggestions) {
  for (const Declaration& each : declared_in(syntax)) {
    if (syntax.kind == SyntaxKind::kBlock && std::count(known.begin(), known.end(), each.name) != 0)
      fail(body, syntax.range, "\"" + each.name + "\" is declared already, as a parameter of the function");
    known.push_back(each.name);
  }
  if (syntax.kind == SyntaxKind::kName && !named_constant(syntax.name) &&
      std::find(known.begin(), known.end(), syntax.name) == known.end())
    fail(body, syntax.name_range,
         "\"" + syntax.name + "\" is not a parameter of the function" + did_you_mean(syntax.name, known));
  if (syntax.kind == SyntaxKind::kCall && !is_built_in_function(syntax.name) &&
      !functions.contains(syntax.name))
    fail(body, syntax.name_range,
         unknown_function(syntax.name, suggestions.take() ? functions.names() : std::vector<std::string>()));
  for (const SyntaxPointer& operand : syntax.operands)
    check_names(body, *operand, known, functions, suggestions);
}

}  // namespace

std::optional<std::size_t> UserFunction::parameter(std::string_view wanted) const {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == wanted) return i;
  return std::nullopt;
}

std::vector<std::string> UserFunction::names_of_parameters() const {
  std::vector<std::string> names;
  for (const Declaration& each : parameters) names.push_back(each.name);
  return names;
}

void UserFunctions::add(std::string_view signature, std::string_view body, SuggestionLimit& suggestions) {
  UserFunction function = parse_signature(signature);
  if (contains(function.name))
    fail(signature, {0, function.name.size()}, "the function \"" + function.name + "\" is defined twice");
  function.body = body;
  function.syntax = parse(body);
  check_names(body, *function.syntax, function.names_of_parameters(), *this, suggestions);
  std::string name = function.name;
  functions_.emplace(std::move(name), std::move(function));
}

void UserFunctions::check_new(const std::string& name) const {
  if (is_built_in_function(name)) throw SchemaError("\"" + name + "\" is a function of the language");
  if (contains(name)) throw SchemaError("the function \"" + name + "\" is defined twice");
}

void UserFunctions::add_ranges(const std::string& name, const RangesByKey& ranges) {
  check_new(name);
  ranges_.emplace(name, packed_ranges(ranges));
}

void UserFunctions::add_external(ExternalFunction function) {
  check(function);
  check_new(function.name);
  const auto kept = std::make_shared<const ExternalFunction>(std::move(function));
  external_.emplace(kept->name, kept);
}

const std::shared_ptr<const ExternalFunction>* UserFunctions::find_external(std::string_view name) const {
  const auto found = external_.find(name);
  return found == external_.end() ? nullptr : &found->second;
}

const std::string* UserFunctions::find_ranges(std::string_view name) const {
  const auto found = ranges_.find(name);
  return found == ranges_.end() ? nullptr : &found->second;
}

const UserFunction* UserFunctions::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

std::vector<std::string> UserFunctions::names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) names.push_back(name);
  for (const auto& [name, ranges] : ranges_) names.push_back(name);
  for (const auto& [name, function] : external_) names.push_back(name);
  return names;
}

}  // namespace skimline
