// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a page as they are stored.
#pragma once

#include "storage/buffer_pool.h"

#include "skimline/io/compression.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace skimline::io {

/// The stored bytes of a page with the checksum behind them. Copies share the memory.
class SealedBytes {
 public:
  SealedBytes() = default;

  /// Takes `size` bytes without a checksum, which is written behind them: a buffer has room for it.
  SealedBytes(BufferPool::Buffer memory, std::size_t size);
  /// Copies bytes that include their checksum.
  SealedBytes(std::span<const std::byte> stored, BufferPool& pool);

  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }
  std::uint64_t checksum() const;

  bool operator==(const SealedBytes& other) const;

 private:
  std::shared_ptr<const std::byte> memory_;
  std::size_t size_ = 0;
};

/// Compresses an encoded page and appends the checksum. Thread-safe.
SealedBytes seal_encoded(std::span<const std::byte> encoded, CompressionSetting compression,
                         BufferPool& pool);

}  // namespace skimline::io
