// SPDX-License-Identifier: BSD-3-Clause
// Functions that users add to the language: expressions of their parameters, ranges of integers,
// and code outside of the language.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"

#include "skimline/framework/external_function.h"
#include "skimline/framework/ranges_by_key.h"
#include "skimline/framework/suggestion_limit.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// One function: its body is bound anew for every list of arguments.
struct UserFunction {
  std::string name;
  std::string signature;  ///< "is_central(pt, eta)", "float ratio(float a, float b)"
  std::string result;     ///< the type that its value is converted to, as in Declaration
  std::vector<Declaration> parameters;
  std::string body;
  SyntaxPointer syntax;
  /// Calls bound so far: so that functions of functions do not multiply.
  mutable std::map<std::vector<NodeId>, NodeId> calls;

  /// Which parameter has a name; nothing if none has.
  std::optional<std::size_t> parameter(std::string_view wanted) const;
  std::vector<std::string> names_of_parameters() const;
};

/// The functions of a plan by name.
class UserFunctions {
 public:
  /// Parses `signature`, "name(a, b)" with types or without, and `body`, in which only the parameters,
  /// built-in functions and functions added before may be named. Throws ExpressionError pointing into either
  /// text.
  void add(std::string_view signature, std::string_view body, SuggestionLimit& suggestions);

  /// Adds a function of two integers. Throws SchemaError if there is one of that name.
  void add_ranges(const std::string& name, const RangesByKey& ranges);

  /// Adds a function that is no expression. Throws SchemaError if there is one of that name, or if it is not
  /// fit to be called.
  void add_external(ExternalFunction function);

  const UserFunction* find(std::string_view name) const;
  /// The packed ranges of a function that has them, else nullptr.
  const std::string* find_ranges(std::string_view name) const;
  /// Returns nullptr if there is none of that name.
  const std::shared_ptr<const ExternalFunction>* find_external(std::string_view name) const;
  bool contains(std::string_view name) const {
    return find(name) || find_ranges(name) || find_external(name);
  }
  std::vector<std::string> names() const;

 private:
  void check_new(const std::string& name) const;

  std::map<std::string, UserFunction, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> ranges_;
  std::map<std::string, std::shared_ptr<const ExternalFunction>, std::less<>> external_;
};

}  // namespace skimline
