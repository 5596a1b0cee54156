// SPDX-License-Identifier: BSD-3-Clause
// From a syntax tree to typed nodes of the graph.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"

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
};

/// Adds `expression` to the graph and returns its node. Throws ExpressionError.
NodeId bind_expression(std::string_view expression, NameTable& names, Graph& graph);

/// Returns the node converted to another scalar type.
NodeId convert(NodeId node, ScalarType scalar, Graph& graph);

/// Returns the flat node repeated for every element of the list `like`.
NodeId broadcast(NodeId flat_node, NodeId like, Graph& graph);

}  // namespace skimline
