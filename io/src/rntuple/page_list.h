// SPDX-License-Identifier: BSD-3-Clause
// Page lists: the clusters of a cluster group and where their pages are.
#pragma once

#include "storage/byte_reader.h"

#include "skimline/io/input_file.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>

namespace skimline::io {

/// Appends the clusters of one page list to the descriptor, whose schema is complete. Throws FormatError.
void append_page_list(ByteReader payload, const InputFile& file, std::uint64_t max_key_size,
                      RNTupleDescriptor& descriptor);

/// Brings the clusters into entry order and checks that entries are contiguous, that the element offsets of
/// every column continue from cluster to cluster, and that there are as many as the entries, and other
/// columns of the same items, must have. Throws FormatError.
void finish_clusters(RNTupleDescriptor& descriptor);

}  // namespace skimline::io
