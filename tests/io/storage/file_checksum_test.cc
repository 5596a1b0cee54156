// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_checksum.h"

#include "skimline/framework/error.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
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

TEST(FileChecksum, IsThatOfTheDefinition) {
  const std::string path = testing::TempDir() + "checksum.bin";
  std::mt19937 random(1);
  for (const std::size_t size : {0U, 1U, 4097U, 262'145U, 4'194'304U, 4'194'305U, 9'000'001U}) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 256);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
    char expected[24];
    std::snprintf(expected, sizeof expected, "adler32:%08x", plain_adler32(bytes));
    for (const int threads : {1, 3}) EXPECT_EQ(file_checksum(path, threads), expected) << size;
    EXPECT_EQ(checksum_of_bytes(bytes), expected) << size;
  }
  std::filesystem::remove(path);
}

TEST(FileChecksum, IsAsOthersWriteIt) {
  const std::string text = "Wikipedia";
  EXPECT_EQ(checksum_of_bytes(std::as_bytes(std::span(text))), "adler32:11e60398");
}

TEST(FileChecksum, NeedsAFile) { EXPECT_THROW(file_checksum("/nowhere/at/all"), FileError); }

}  // namespace
}  // namespace skimline::io
