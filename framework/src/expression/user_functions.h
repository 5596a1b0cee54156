// SPDX-License-Identifier: BSD-3-Clause
// Functions that users add to the language: expressions of their parameters, and ranges of integers.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"

#include "skimline/framework/plan.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// One function: its body is bound anew for every list of arguments.
struct UserFunction {
  std::string name;
  std::string signature;  ///< "is_central(pt, eta)"
  std::vector<std::string> parameters;
  std::string body;
  SyntaxPointer syntax;
  /// Calls bound so far: so that functions of functions do not multiply.
  mutable std::map<std::vector<NodeId>, NodeId> calls;
};

/// The functions of a plan by name.
class UserFunctions {
 public:
  /// Parses `signature`, "name(a, b)", and `body`, in which only the parameters, built-in functions and
  /// functions added before may be named. Throws ExpressionError pointing into either text.
  void add(std::string_view signature, std::string_view body);

  /// Adds a function of two integers. Throws SchemaError if there is one of that name.
  void add_ranges(const std::string& name, const RangesByKey& ranges);

  const UserFunction* find(std::string_view name) const;
  /// The packed ranges of a function that has them, else nullptr.
  const std::string* find_ranges(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) || find_ranges(name); }
  std::vector<std::string> names() const;

 private:
  std::map<std::string, UserFunction, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> ranges_;
};

}  // namespace skimline
