// SPDX-License-Identifier: BSD-3-Clause
// A local file that is compared with what a server has of it.
#pragma once

#include "skimline/io/remote_file.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Of a complete local file. Throws FileError if it cannot be read.
std::uint64_t size_of_sent(const std::string& path);

/// Some of its bytes.
std::vector<std::byte> bytes_of_sent(const std::string& path, std::uint64_t offset, std::uint64_t size);

/// The checksum of a file in small hexadecimal letters: "adler32", "crc32" or "md5"; nothing of other kinds.
std::optional<std::string> checksum_of_sent(const std::string& path, std::string_view kind);

/// Throws FileError naming `name` unless what a server has of a file has its size and ends.
void compare_ends(const std::string& path, const std::string& name, const OpenedRemote& opened);

}  // namespace skimline::io
