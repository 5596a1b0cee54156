// SPDX-License-Identifier: BSD-3-Clause
#include "expression/sized_lists.h"

#include "expression/list_elements.h"

#include <set>
#include <utility>
#include <vector>

namespace skimline {
namespace {

// The list, and all lists that it is computed of element by element.
std::set<NodeId> lists_of_equal_size(NodeId list, const Graph& graph) {
  std::set<NodeId> found;
  for (std::vector<NodeId> pending{list}; !pending.empty();) {
    const NodeId id = pending.back();
    pending.pop_back();
    const Node& node = graph[id];
    if (node.type.depth != 1 || !found.insert(id).second || node.kind != NodeKind::kLoop) continue;
    pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  return found;
}

}  // namespace

NodeId sized(NodeId list, NodeId like, const std::string& text, Graph& graph) {
  const std::set<NodeId> known = lists_of_equal_size(like, graph);
  for (const NodeId each : lists_of_equal_size(list, graph))
    if (known.contains(each)) return list;
  const Operation operation = sized_operation(graph[list].type, {graph[like].type.scalar});
  Node node;
  node.kind = NodeKind::kKernel;
  node.name = kSized;
  node.type = graph[list].type;
  node.inputs = {list, like};
  node.kernel = operation.kernel;
  node.can_fail = operation.can_fail;
  node.text = text;
  return graph.add(std::move(node));
}

}  // namespace skimline
