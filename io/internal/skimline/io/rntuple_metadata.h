// SPDX-License-Identifier: BSD-3-Clause
// Reads the metadata of an RNTuple: anchor, header, footer and page lists.
#pragma once

#include "skimline/io/rntuple_descriptor.h"
#include "skimline/io/root_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Returns the paths of the RNTuples of a file, each the newest object of its name, in its order.
std::vector<std::string> ntuple_names(const RootFile& file);

/// Returns what is wrong with the object of a key if it is an RNTuple in one of the formats before the first
/// that ROOT promises to read; an empty text for all others.
std::string pre_release_problem(const RootKey& key);

/// Reads and verifies the metadata of the RNTuple called `name`, of the only one if empty. What is returned
/// can be trusted: ids are in range, parents precede children, clusters are contiguous from entry 0, element
/// offsets follow from page sizes, pages lie inside the file and hold what their stored size can hold. Throws
/// FileError if the name is not there (saying what is) or if the metadata are damaged or need a newer reader.
RNTupleDescriptor read_descriptor(const RootFile& file, std::string_view name);

/// What read_descriptor() has returned for an RNTuple before its reader needs it.
struct NTupleMetadata {
  std::string path;  ///< in the file
  RNTupleDescriptor descriptor;
};

}  // namespace skimline::io
