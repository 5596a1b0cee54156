// SPDX-License-Identifier: BSD-3-Clause
// What the fields of an RNTuple take in the file and in memory.
#pragma once

#include "rntuple/field_columns.h"

#include "skimline/io/input_source.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>
#include <string>

namespace skimline::io {

/// Size in memory of the elements of a stream in a cluster, a real number as hostile files have any.
double bytes_in_memory(const Stream& stream, const ClusterDescriptor& cluster);

/// Bytes of the pages of a stream; those stored only once in a cluster count once.
std::uint64_t bytes_stored(const RNTupleDescriptor& descriptor, const Stream& stream);

FieldSize size_of_stream(const RNTupleDescriptor& descriptor, const Stream& stream);

/// Of all columns of a field and of those in it.
FieldSize size_of_field(const RNTupleDescriptor& descriptor, const std::string& name);

/// Bytes that the metadata take in memory, about.
double size_of_metadata(const RNTupleDescriptor& descriptor);

}  // namespace skimline::io
