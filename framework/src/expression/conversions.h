// SPDX-License-Identifier: BSD-3-Clause
// Nodes that hold constants, other types and other shapes of values.
#pragma once

#include "expression/function_registry.h"
#include "expression/graph.h"

#include <string>
#include <vector>

namespace skimline {

/// Returns the node of numbers converted to another scalar type.
NodeId convert(NodeId node, ScalarType scalar, Graph& graph);

/// Returns the nodes, each converted to the scalar type of its number.
std::vector<NodeId> converted(std::vector<NodeId> nodes, const std::vector<ScalarType>& scalars,
                              Graph& graph);

/// Returns the nodes with those of numbers converted to double.
std::vector<NodeId> in_double(std::vector<NodeId> nodes, Graph& graph);

/// Returns that of the nodes whose lists are nested most deeply.
NodeId deepest_of(const std::vector<NodeId>& nodes, const Graph& graph);

/// Returns the node repeated for every element at `depth` that the deeper node `like` has below it.
NodeId broadcast(NodeId node, NodeId like, int depth, Graph& graph);

bool is_constant(const Graph& graph, NodeId id);
NodeId add_constant(Graph& graph, Constant constant, std::string text);

/// Runs the loop of an operation on constants now instead of once per batch.
NodeId fold_constants(Graph& graph, const Node& node);

/// Whether dividing by a value can fail for no number: a constant that is neither 0 nor -1.
bool is_safe_divisor(const Graph& graph, NodeId id);

/// The types of values, "(float, list of float)".
std::string types_in(Arguments arguments);

}  // namespace skimline
