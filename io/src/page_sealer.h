// SPDX-License-Identifier: BSD-3-Clause
// From the elements of a page to the bytes that are stored.
#pragma once

#include "cluster_builder.h"

#include "skimline/io/compression.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace skimline::io {

/// The stored bytes of a page, checksum included; equal pages share them.
using SealedBytes = std::shared_ptr<const std::vector<std::byte>>;

struct SealedPage {
  std::uint32_t num_elements = 0;
  SealedBytes bytes;

  std::uint64_t checksum() const {
    std::uint64_t value;
    std::memcpy(&value, bytes->data() + bytes->size() - sizeof value, sizeof value);
    return value;
  }
};

/// Compresses an encoded page and appends the checksum of the stored bytes. Thread-safe.
SealedBytes seal_encoded(std::span<const std::byte> encoded, CompressionSetting compression);

/// Encodes, compresses and appends the checksum; a page that equals one of the source is taken as it is
/// stored there, once its checksum is verified. Thread-safe. Throws FileError if a page of the source is
/// damaged.
SealedPage seal_page(const OutputColumn& column, const RawPage& page, CompressionSetting compression);

}  // namespace skimline::io
