// SPDX-License-Identifier: BSD-3-Clause
// Finds the columns that the branches of a TTree make.
#pragma once

#include "ttree/tree_columns.h"

#include "skimline/io/tree_descriptor.h"

namespace skimline::io {

/// Never throws for what a tree says: what cannot be read is unsupported, with the reason. Every branch with
/// data has a column or is among the unsupported.
TreeColumns find_tree_columns(const TreeDescriptor& tree);

}  // namespace skimline::io
