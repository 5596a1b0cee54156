// SPDX-License-Identifier: BSD-3-Clause
// The conditions that `&&` joins, and in which order a filter may apply them.
#pragma once

#include "expression/graph.h"

#include <vector>

namespace skimline {

/// Returns the conditions that `&&` joins in `condition`, a flat bool, in the order of its text.
std::vector<NodeId> conjuncts_of(NodeId condition, const Graph& graph);

/// Conditions that may be applied in any order, and then one that must come after all of them.
struct ConjunctGroup {
  std::vector<NodeId> movable;  ///< cannot fail
  bool has_last = false;
  NodeId last = 0;  ///< may fail
};

/// Divides conjuncts into groups that are applied one after the other. A conjunct that may fail stays behind
/// all that stand before it. One that cannot, and reads no lists, moves before those that may fail and read
/// lists. What a filter keeps is the same in any such order; so that the same is true of its faults, the
/// groups depend on the expression and the types only, not on what a file holds.
std::vector<ConjunctGroup> grouped(const std::vector<NodeId>& conjuncts, const Graph& graph);

}  // namespace skimline
