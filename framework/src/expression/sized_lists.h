// SPDX-License-Identifier: BSD-3-Clause
// Lists that must have the sizes of others.
#pragma once

#include "expression/graph.h"

#include <string>

namespace skimline {

/// A list, with an error where it has not the size of another one, unless both are computed of the same list
/// element by element: names alone say that lists are members of the same objects. `text` is what the error
/// calls it.
NodeId sized(NodeId list, NodeId like, const std::string& text, Graph& graph);

}  // namespace skimline
