// SPDX-License-Identifier: BSD-3-Clause
#include "storage/xxh3.h"

#include "storage/xxh3_avx2.h"

#include "skimline/framework/instruction_set.h"

#include <xxhash.h>

namespace skimline::io {

std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed) {
#if SKIMLINE_HAS_AVX2_KERNELS
  if (use_avx2()) return xxh3_64_with_avx2(bytes.data(), bytes.size(), seed);
#endif
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash_with(std::uint64_t hash, std::uint64_t value) {
  return XXH3_64bits_withSeed(&value, sizeof value, hash);
}

}  // namespace skimline::io
