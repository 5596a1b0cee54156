// SPDX-License-Identifier: BSD-3-Clause
// XXH3-64, the checksum of RNTuples, by vectors as wide as the machine has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skimline::io {

/// What XXH3_64bits_withSeed() of xxHash returns, whose library is built for processors without AVX2.
std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// The hash of what `hash` is of, followed by a value.
std::uint64_t hash_with(std::uint64_t hash, std::uint64_t value);

}  // namespace skimline::io
