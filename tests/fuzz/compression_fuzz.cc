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
  const auto stored = std::make_unique<std::byte[]>(block.size());
  std::copy(block.begin(), block.end(), stored.get());
  mend_lz4({stored.get(), block.size()});
  const auto raw = std::make_unique<std::byte[]>(raw_size);
  is_accepted([&] { io::decompress_block({stored.get(), block.size()}, {raw.get(), raw_size}); });
  return 0;
}
