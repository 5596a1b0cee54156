// SPDX-License-Identifier: BSD-3-Clause
// Combinations of elements, of which each member may be computed alone.
#pragma once

#include "expression/graph.h"
#include "expression/kernel.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace skimline {

/// The names of the operations that combinations_element gives, for combinations of one list and of several.
inline constexpr std::string_view kSubsetMember = "Combinations[]", kProductMember = "Combinations(,)[]";

/// `combinations[index]` without the other lists: an operation on the inputs of `combinations` and `index`.
/// Nothing if that is no node of Combinations, or `index` no constant that it has.
std::optional<Operation> combinations_element(NodeId combinations, NodeId index, const Graph& graph);

/// `Combinations(list, count)[member]` of objects: where a list is shorter there are none.
NodeId indexes_of_subsets(NodeId list, std::int64_t count, std::int64_t member, Graph& graph);

}  // namespace skimline
