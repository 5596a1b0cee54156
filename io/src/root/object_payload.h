// SPDX-License-Identifier: BSD-3-Clause
// Streamed objects as the payload of their records.
#pragma once

#include "skimline/io/compression.h"
#include "skimline/io/root_file_writer.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace skimline::io {

/// ROOT does not compress objects of so many bytes or fewer.
inline constexpr std::size_t kLargestUncompressed = 256;

/// Sets the payload of an object to its streamed bytes, compressed if they are many.
inline void set_payload(RootObject& object, std::vector<std::byte> streamed, CompressionSetting compression) {
  if (streamed.size() <= kLargestUncompressed) {
    object.payload = std::move(streamed);
    return;
  }
  object.object_size = streamed.size();
  compress_block(streamed, compression, object.payload);
}

}  // namespace skimline::io
