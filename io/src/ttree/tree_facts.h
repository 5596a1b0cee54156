// SPDX-License-Identifier: BSD-3-Clause
// What the metadata of a TTree say of all its baskets.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/io/tree_descriptor.h"

namespace skimline::io {

/// Sets what depends on the places of baskets.
void add_facts(const TreeDescriptor& tree, InputFacts& facts);

}  // namespace skimline::io
