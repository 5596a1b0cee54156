// SPDX-License-Identifier: BSD-3-Clause
// Text files that may be compressed.
#pragma once

#include <cstddef>
#include <string>

namespace skimline::io {

/// Returns what a text file holds, decompressed if it is one of gzip. Throws FileError, also for one that is
/// cut off and for one of more than `max_bytes`.
std::string read_gzip_text(const std::string& path, std::size_t max_bytes);

}  // namespace skimline::io
