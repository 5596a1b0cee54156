// SPDX-License-Identifier: BSD-3-Clause
#include "config/corrections/file_checksum.h"

#include "skimline/framework/error.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

// The definition, byte by byte.
std::uint32_t plain_adler32(std::span<const std::byte> bytes) {
  std::uint32_t low = 1, high = 0;
  for (const std::byte byte : bytes) {
    low = (low + std::to_integer<std::uint32_t>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

TEST(Adler32, IsThatOfTheDefinition) {
  const std::string text = "Wikipedia";
  EXPECT_EQ(adler32(1, std::as_bytes(std::span(text))), 0x11E60398U);
  std::mt19937 random(1);
  for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 4095U, 4096U, 4097U, 100'003U}) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 256);
    EXPECT_EQ(adler32(1, bytes), plain_adler32(bytes)) << size;
    const std::size_t half = size / 3;
    EXPECT_EQ(adler32(adler32(1, std::span(bytes).first(half)), std::span(bytes).subspan(half)),
              plain_adler32(bytes));
  }
  const std::vector<std::byte> largest(300'000, std::byte{0xff});
  EXPECT_EQ(adler32(1, largest), plain_adler32(largest));
}

TEST(FileChecksum, OfBytesIsThatOfTheirFile) {
  const std::string text = "Wikipedia";
  EXPECT_EQ(checksum_of_bytes(std::as_bytes(std::span(text))), "adler32:11e60398");
}

TEST(FileChecksum, NeedsAFile) { EXPECT_THROW(file_checksum("/nowhere/at/all"), FileError); }

}  // namespace
}  // namespace skimline::skims
