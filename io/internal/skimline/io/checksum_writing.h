// SPDX-License-Identifier: BSD-3-Clause
// Writes a file of checksums for all RNTuples and TTrees of a file.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/root_file.h"

#include <cstddef>
#include <string>

namespace skimline::io {

/// Where the checksums of a file are: "data.root.checksums" beside it, or in `folder` unless that is empty.
std::string checksum_path(const std::string& path, const std::string& folder);

/// Throws FileError if files of checksums are to be looked for in a folder that is not there.
void check_checksum_folder(const std::string& folder);

/// Writes the checksums of a file, which must have been verified as far as it can be, and returns how many
/// records they are of. They are complete or absent. Throws FileError if there is a file of that name
/// already, unless it is the same, Interrupted soon after `stop` is set.
std::size_t write_checksums(const RootFile& file, const std::string& folder, StopFlag stop = {});

}  // namespace skimline::io
