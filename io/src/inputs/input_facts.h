// SPDX-License-Identifier: BSD-3-Clause
// What the metadata of an input say of all its pages or baskets.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/io/rntuple_descriptor.h"
#include "skimline/io/tree_descriptor.h"

namespace skimline::io {

/// Sets what depends on the places of pages.
void add_facts(const RNTupleDescriptor& descriptor, InputFacts& facts);

/// Sets what depends on the places of baskets.
void add_facts(const TreeDescriptor& tree, InputFacts& facts);

}  // namespace skimline::io
