// SPDX-License-Identifier: BSD-3-Clause
#include "compression/sealed_bytes.h"

#include "storage/xxh3.h"

#include <cstring>
#include <vector>

namespace skimline::io {

SealedBytes::SealedBytes(BufferPool::Buffer memory, std::size_t size) : size_(size + sizeof(std::uint64_t)) {
  const std::uint64_t checksum = xxh3_64({memory.get(), size});
  std::memcpy(memory.get() + size, &checksum, sizeof checksum);
  memory_ = std::move(memory);
}

SealedBytes::SealedBytes(std::span<const std::byte> stored, BufferPool& pool) : size_(stored.size()) {
  BufferPool::Buffer memory = pool.take(stored.size());
  std::memcpy(memory.get(), stored.data(), stored.size());
  memory_ = std::move(memory);
}

std::uint64_t SealedBytes::checksum() const {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, memory_.get() + size_ - sizeof checksum, sizeof checksum);
  return checksum;
}

bool SealedBytes::operator==(const SealedBytes& other) const {
  return size_ == other.size_ &&
         (memory_ == other.memory_ || std::memcmp(memory_.get(), other.memory_.get(), size_) == 0);
}

SealedBytes seal_encoded(std::span<const std::byte> encoded, CompressionSetting compression,
                         BufferPool& pool) {
  thread_local std::vector<std::byte> compressed;
  std::span<const std::byte> stored = encoded;
  if (compression.algorithm != CompressionAlgorithm::kNone) {
    compressed.clear();
    compress_block(encoded, compression, compressed, BlockChecksum::kElsewhere);
    stored = compressed;
  }
  BufferPool::Buffer memory = pool.take(stored.size());
  std::memcpy(memory.get(), stored.data(), stored.size());
  return {std::move(memory), stored.size()};
}

}  // namespace skimline::io
