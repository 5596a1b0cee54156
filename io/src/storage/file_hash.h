// SPDX-License-Identifier: BSD-3-Clause
// Whether files have the same bytes, by a hash of them.
#pragma once

#include "skimline/io/input_file.h"

#include <cstdint>

namespace skimline::io {

/// A hash of the bytes of a file from `begin` to `end`, which are read in blocks. Throws FileError.
std::uint64_t hash_of_bytes(const InputFile& file, std::uint64_t begin, std::uint64_t end);

}  // namespace skimline::io
