// SPDX-License-Identifier: BSD-3-Clause
// Functions that users write as expressions of their parameters.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"

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

  const UserFunction* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, UserFunction, std::less<>> functions_;
};

}  // namespace skimline
