// SPDX-License-Identifier: BSD-3-Clause
// Checksums of whole files, for records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skimline::skims {

/// Adler-32 (RFC 1950) of the bytes that follow those whose sum is `adler`; 1 is that of no bytes.
std::uint32_t adler32(std::uint32_t adler, std::span<const std::byte> bytes);

/// Returns the checksum of the bytes of a file, as file_checksum() does.
std::string checksum_of_bytes(std::span<const std::byte> bytes);

/// Returns the checksum of a whole file as grid catalogues give it, "adler32:0a1b2c3d". Throws FileError.
std::string file_checksum(const std::string& path);

}  // namespace skimline::skims
