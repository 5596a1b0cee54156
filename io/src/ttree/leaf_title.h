// SPDX-License-Identifier: BSD-3-Clause
// What titles of leaves and branches say: dimensions and descriptions.
#pragma once

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Returns the fixed dimensions in a title such as "w[n][3]", "da[4]/d[0,10,16]" if they make up `length`
/// values, else {length}, and none for 1.
std::vector<std::uint64_t> leaf_dimensions(std::string_view title, std::uint64_t length);

/// The title of a branch, unless it only repeats the names of its leaves.
std::string description_of(const TreeDescriptor& tree, const TreeBranch& branch);

}  // namespace skimline::io
