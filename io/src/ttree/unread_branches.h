// SPDX-License-Identifier: BSD-3-Clause
// What cannot be read of a TTree, so that people read it.
#pragma once

#include "ttree/tree_columns.h"

#include "skimline/io/tree_descriptor.h"

#include <vector>

namespace skimline::io {

/// The unsupported fields of a tree: of a branch of which no column is left one field, which has the reason
/// of its first member.
std::vector<UnsupportedField> unread_branches(const TreeDescriptor& tree, const TreeColumns& columns);

}  // namespace skimline::io
