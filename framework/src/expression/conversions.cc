// SPDX-License-Identifier: BSD-3-Clause
#include "expression/conversions.h"

#include "expression/list_elements.h"
#include "expression/operators.h"

#include <algorithm>
#include <utility>

namespace skimline {

bool is_constant(const Graph& graph, NodeId id) { return graph[id].kind == NodeKind::kConstant; }

NodeId add_constant(Graph& graph, Constant constant, std::string text) {
  Node node;
  node.kind = NodeKind::kConstant;
  node.type = flat(constant.scalar);
  node.constant = constant;
  node.text = std::move(text);
  return graph.add(std::move(node));
}

NodeId fold_constants(Graph& graph, const Node& node) {
  std::vector<Operand> operands;
  for (const NodeId input : node.inputs) operands.push_back({graph[input].constant.bytes.data(), true});
  Constant result{node.type.scalar, {}};
  node.loop(operands.data(), result.bytes.data(), 1);
  return add_constant(graph, result, node.text);
}

NodeId convert(NodeId id, ScalarType scalar, Graph& graph) {
  if (graph[id].type.scalar == scalar) return id;
  Node node;
  node.kind = NodeKind::kLoop;
  node.type = {scalar, graph[id].type.depth};
  node.inputs = {id};
  node.loop = conversion_loop(graph[id].type.scalar, scalar);
  node.text = graph[id].text;
  return is_constant(graph, id) ? fold_constants(graph, node) : graph.add(std::move(node));
}

std::vector<NodeId> converted(std::vector<NodeId> nodes, const std::vector<ScalarType>& scalars,
                              Graph& graph) {
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = convert(nodes[i], scalars[i], graph);
  return nodes;
}

std::vector<NodeId> in_double(std::vector<NodeId> nodes, Graph& graph) {
  for (NodeId& node : nodes)
    if (is_number(graph[node].type.scalar)) node = convert(node, ScalarType::kDouble, graph);
  return nodes;
}

NodeId deepest_of(const std::vector<NodeId>& nodes, const Graph& graph) {
  return *std::max_element(nodes.begin(), nodes.end(),
                           [&](NodeId a, NodeId b) { return graph[a].type.depth < graph[b].type.depth; });
}

NodeId broadcast(NodeId from, NodeId like, int depth, Graph& graph) {
  const Operation operation = broadcast_operation(graph[from].type, depth);
  Node node;
  node.kind = NodeKind::kKernel;
  node.type = {operation.result, operation.result_depth};
  node.inputs = {from, like};
  node.kernel = operation.kernel;
  node.can_fail = operation.can_fail;
  node.text = graph[from].text;
  return graph.add(std::move(node));
}

bool is_safe_divisor(const Graph& graph, NodeId id) {
  if (!is_constant(graph, id)) return false;
  const Constant& constant = graph[id].constant;
  return visit_scalar(constant.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = constant.as<T>();
    return value != T(0) && (!std::is_signed_v<T> || value != static_cast<T>(-1));
  });
}

std::string types_in(Arguments arguments) {
  std::string names;
  for (const Argument& argument : arguments) names += (names.empty() ? "(" : ", ") + name_of(argument.type);
  return names + ")";
}

}  // namespace skimline
