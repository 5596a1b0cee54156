// SPDX-License-Identifier: BSD-3-Clause
#include "engine/conjunction.h"

#include "expression/operators.h"

#include <unordered_set>

namespace skimline {
namespace {

// `&&` is a plain loop where its right side needs no scope of its own.
bool is_conjunction(const Node& node) {
  static const Loop loop =
      binary_operation(Operator::kAnd, ScalarType::kBool, ScalarType::kBool, false)->loop;
  return node.kind == NodeKind::kAnd ||
         (node.kind == NodeKind::kLoop && node.loop == loop && !node.type.is_jagged());
}

}  // namespace

std::vector<NodeId> conjuncts_of(NodeId condition, const Graph& graph) {
  std::vector<NodeId> found, pending{condition};
  std::unordered_set<NodeId> seen;
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    if (!seen.insert(node).second) continue;
    if (is_conjunction(graph[node]))
      pending.insert(pending.end(), graph[node].inputs.rbegin(), graph[node].inputs.rend());
    else
      found.push_back(node);
  }
  return found;
}

std::vector<ConjunctGroup> grouped(const std::vector<NodeId>& conjuncts, const Graph& graph) {
  std::vector<ConjunctGroup> groups(1);
  std::size_t first_open = 0;  // the first group that conjuncts without lists may still join
  for (const NodeId conjunct : conjuncts) {
    const Node& node = graph[conjunct];
    if (!node.can_fail) {
      groups[node.is_costly ? groups.size() - 1 : first_open].movable.push_back(conjunct);
      continue;
    }
    groups.back().has_last = true;
    groups.back().last = conjunct;
    groups.emplace_back();
    if (!node.is_costly) first_open = groups.size() - 1;
  }
  return groups;
}

}  // namespace skimline
