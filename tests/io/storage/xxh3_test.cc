// SPDX-License-Identifier: BSD-3-Clause
#include "storage/xxh3.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

// The library has other code for up to 16, 128 and 240 bytes, and for every block of 1,024 behind that.
TEST(Xxh3, IsThatOfTheLibraryForAllSizesPlacesAndSeeds) {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(70'000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const auto check = [&](std::size_t begin, std::size_t size, std::uint64_t seed) {
    ASSERT_EQ(xxh3_64({&bytes[begin], size}, seed), XXH3_64bits_withSeed(&bytes[begin], size, seed))
        << size << " bytes from " << begin << ", seed " << seed;
  };
  for (std::size_t size = 0; size < 2'200; ++size)
    for (const std::uint64_t seed : {std::uint64_t{0}, random()}) check(random() % 64, size, seed);
  for (int i = 0; i < 500; ++i) check(random() % 5'000, random() % 65'000, i % 2 == 0 ? 0 : random());
}

// https://github.com/Cyan4973/xxHash, `xxhsum -H3` of an empty file.
TEST(Xxh3, OfNothingIsKnown) { EXPECT_EQ(xxh3_64({}), 0x2D06800538D394C2u); }

}  // namespace
}  // namespace skimline::io
