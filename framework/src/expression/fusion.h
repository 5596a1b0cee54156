// SPDX-License-Identifier: BSD-3-Clause
// Reductions of pairs and triples that need no lists.
#pragma once

#include "expression/graph.h"

#include <vector>

namespace skimline {

/// Lets each reduction, such as ArgMin, of what is computed element by element of pairs or triples take that
/// in as it is made (reduce_subsets), if nothing else needs the lists. `roots` are all nodes that are asked
/// for; what they come to stays the same, to the last bit, and no node may be added any more.
void fuse_reductions(Graph& graph, const std::vector<NodeId>& roots);

}  // namespace skimline
