// SPDX-License-Identifier: BSD-3-Clause
// From a syntax tree to typed nodes of the graph.
#pragma once

#include "expression/graph.h"
#include "expression/name_table.h"
#include "expression/syntax.h"

#include <string_view>

namespace skimline {

/// Adds `expression` to the graph and returns its node. Throws ExpressionError.
NodeId bind_expression(std::string_view expression, NameTable& names, Graph& graph);
/// The same of one that has been parsed.
NodeId bind_parsed(const Syntax& syntax, std::string_view expression, NameTable& names, Graph& graph);

}  // namespace skimline
