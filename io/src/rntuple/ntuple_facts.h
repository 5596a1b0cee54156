// SPDX-License-Identifier: BSD-3-Clause
// What the metadata of an RNTuple say of all its pages.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/io/rntuple_descriptor.h"

namespace skimline::io {

/// Sets what depends on the places of pages.
void add_facts(const RNTupleDescriptor& descriptor, InputFacts& facts);

}  // namespace skimline::io
