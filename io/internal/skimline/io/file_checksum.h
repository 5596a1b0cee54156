// SPDX-License-Identifier: BSD-3-Clause
// Checksums of whole files, for records.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace skimline::io {

/// Returns the checksum of the bytes of a file, as file_checksum() does.
std::string checksum_of_bytes(std::span<const std::byte> bytes);

/// Returns the checksum of a whole file as grid catalogues give it, "adler32:0a1b2c3d" (RFC 1950). Large
/// files are read by `threads` threads. Throws FileError.
std::string file_checksum(const std::string& path, int threads = 1);

}  // namespace skimline::io
