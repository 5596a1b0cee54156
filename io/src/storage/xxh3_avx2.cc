// SPDX-License-Identifier: BSD-3-Clause
#include "storage/xxh3_avx2.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __AVX2__
namespace skimline::io {

std::uint64_t xxh3_64_with_avx2(const void* bytes, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

}  // namespace skimline::io
#endif
