// SPDX-License-Identifier: BSD-3-Clause
// From the elements of a page to the bytes that are stored.
#pragma once

#include "compression/sealed_bytes.h"
#include "rntuple/cluster_builder.h"

#include "skimline/io/compression.h"

#include <cstdint>
#include <optional>

namespace skimline::io {

struct SealedPage {
  std::uint32_t num_elements = 0;
  SealedBytes stored;
};

/// Returns the elements of a page that is its own, one after the other; the page keeps them. Copies them only
/// if they do not lie together.
const std::byte* assemble(const OutputColumn& column, RawPage& page, BufferPool& pool);

/// Copies the first `count` elements of a page. Throws FileError if a page of the source is damaged.
void copy_elements(const OutputColumn& column, const RawPage& page, std::uint64_t count, std::byte* to);

/// Of some elements of a page that is its own and has some, and of their number. Equal pages have equal ones.
std::uint64_t hash_of_sample(const OutputColumn& column, const RawPage& page);

/// Of which memory a page is made of; none if some of its elements are its own or of the source.
std::optional<std::uint64_t> hash_of_parts(const RawPage& page);

/// Whether two pages have the same elements because they are in the same memory.
bool have_same_parts(const RawPage& a, const RawPage& b);

/// Whether a page equals one of the source, which is compressed as it is to be.
bool stays_stored(const RawPage& page, CompressionSetting compression);

/// Encodes, compresses and appends the checksum; a page that stays stored is taken as it is in the source,
/// once its checksum is verified. Thread-safe. Throws FileError if a page of the source is damaged.
SealedPage seal_page(const OutputColumn& column, const RawPage& page, CompressionSetting compression,
                     BufferPool& pool);

}  // namespace skimline::io
