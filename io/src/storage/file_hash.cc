// SPDX-License-Identifier: BSD-3-Clause
#include "storage/file_hash.h"

#include "storage/xxh3.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::uint64_t kBlock = 1 << 20;

}  // namespace

std::uint64_t hash_of_bytes(const InputFile& file, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t hash = 0;
  std::vector<std::byte> bytes;
  for (std::uint64_t at = begin; at < end; at += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min(kBlock, end - at)));
    file.read(at, bytes);
    hash = xxh3_64(bytes, hash);
  }
  return hash;
}

}  // namespace skimline::io
