// SPDX-License-Identifier: BSD-3-Clause
// Nodes that give the same values as the one that was written, at a lower price.
#pragma once

#include "expression/graph.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace skimline {

/// The name of indexing, of lists by a number or a mask.
inline constexpr std::string_view kElement = "[]";

/// The name of nodes that stand in for Take(values, Combinations(list, number)[member]). Their inputs are
/// these four.
inline constexpr std::string_view kMemberValues = "Take(Combinations[])";

/// The inputs of Combinations, of which a list has one value for each combination: of nodes that stand in for
/// others, and of those of the indexes of one member. Empty for all others.
std::vector<NodeId> combinations_in(const Node& node);

/// The value of a constant node that is a whole number.
std::uint64_t constant_number(const Node& constant);

/// Returns the node to be used in place of `node`, which may be itself. Its inputs are in
/// `graph`, to which others may be added.
///
/// Expressions of pairs and triples of a list, such as `(Take(p4, c[0]) + Take(p4, c[1])).mass()` with
/// `c = Combinations(p4, 2)`, are computed from the list: no lists of indexes and, for Lorentz vectors, no
/// copies of their components are made. One element of such a list is computed alone.
Node simplified(Node node, Graph& graph);

}  // namespace skimline
