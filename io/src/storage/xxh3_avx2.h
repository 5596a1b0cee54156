// SPDX-License-Identifier: BSD-3-Clause
// What is compiled for AVX2 as a whole. It has no templates or inline functions: those of other sources could
// be replaced by them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skimline::io {

/// XXH3-64, for processors that have AVX2.
std::uint64_t xxh3_64_with_avx2(const void* bytes, std::size_t size, std::uint64_t seed);

}  // namespace skimline::io
