// SPDX-License-Identifier: BSD-3-Clause
// From a syntax tree to typed nodes of the graph.
#pragma once

#include "expression/graph.h"
#include "expression/user_functions.h"

#include "skimline/framework/plan.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// What names mean in an expression.
class NameTable {
 public:
  virtual ~NameTable() = default;
  virtual std::optional<NodeId> find(std::string_view name) = 0;
  virtual std::vector<std::string> candidates() const = 0;
  /// Names of columns that match a pattern with `*` and `?`, in order.
  virtual std::vector<std::string> matching(std::string_view pattern) const = 0;
  virtual const UserFunctions& functions() const = 0;
  virtual void warn(ExpressionWarning warning) = 0;
};

/// Adds `expression` to the graph and returns its node. Throws ExpressionError.
NodeId bind_expression(std::string_view expression, NameTable& names, Graph& graph);

/// Returns the node of numbers converted to another scalar type.
NodeId convert(NodeId node, ScalarType scalar, Graph& graph);

/// Returns the node repeated for every element at `depth` that the deeper node `like` has below it.
NodeId broadcast(NodeId node, NodeId like, int depth, Graph& graph);

/// Whether the language has a function of that name, casts included.
bool is_built_in_function(std::string_view name);

/// Checks that the body of a function names its parameters, the built-in functions and `functions` only.
/// Throws ExpressionError pointing into `body`.
void check_names(std::string_view body, const Syntax& syntax, const std::vector<std::string>& parameters,
                 const UserFunctions& functions);

}  // namespace skimline
