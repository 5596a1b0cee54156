// SPDX-License-Identifier: BSD-3-Clause
// What values are computed from, told so that two that say the same are the same.
#pragma once

#include "expression/graph.h"

#include "skimline/framework/schema.h"
#include "skimline/framework/value_content.h"

namespace skimline {

/// Returns what a node is computed from, down to the columns of the schema.
ValueContent content_of(NodeId root, const Graph& graph, const Schema& schema);

}  // namespace skimline
