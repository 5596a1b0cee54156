// SPDX-License-Identifier: BSD-3-Clause
// A page as it lies in the file: its bytes, and after them the checksum if it has one.
#pragma once

#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace skimline::io {

/// Bytes of the page with its checksum.
std::uint64_t stored_size(const PageInfo& page);

/// Returns the page's bytes without the checksum, `stored` being stored_size(page) bytes. Throws FormatError
/// if there is a checksum and it is wrong.
std::span<const std::byte> verified_block(const PageInfo& page, std::span<const std::byte> stored);

/// Decompresses the bytes of a page without its checksum. Returns whether a checksum of the compression
/// proves them. Throws FormatError if they are damaged.
bool verify_block(std::span<const std::byte> stored, const ColumnDescriptor& column,
                  std::uint32_t num_elements);

}  // namespace skimline::io
