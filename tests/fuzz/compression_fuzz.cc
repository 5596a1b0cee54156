// SPDX-License-Identifier: BSD-3-Clause
// Decompression of a block, with the checksums of its lz4 chunks made right.
//
// Input: size of the block once decompressed (u32), the block.
#include "checksums.h"
#include "fuzz_target.h"

#include "skimline/io/compression.h"

#include <memory>

using namespace skimline;
using namespace skimline::testing;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxSize = 1 << 20;
  InputReader input(input_bytes(data, size));
  const std::size_t raw_size = input.number<std::uint32_t>() % kMaxSize;
  const ByteSpan block = input.rest();
  Bytes stored(block.begin(), block.end());
  mend_lz4(stored);
  const auto raw = std::make_unique<std::byte[]>(raw_size);
  is_accepted([&] { io::decompress_block(stored, {raw.get(), raw_size}); });
  return 0;
}
