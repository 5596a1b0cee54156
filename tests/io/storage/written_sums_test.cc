// SPDX-License-Identifier: BSD-3-Clause
#include "storage/written_sums.h"

#include "skimline/io/file_checksum.h"
#include "skimline/io/input_file.h"
#include "skimline/io/output_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

std::vector<std::byte> random_bytes(std::mt19937& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 256);
  return bytes;
}

void add(WrittenSums& sums, std::uint64_t offset, std::uint64_t size) {
  const std::vector<std::byte> bytes(size);
  const std::span<const std::byte> piece(bytes);
  sums.add(offset, {&piece, 1});
}

// "10 20?" are ten bytes that have a sum and twenty behind them that have none.
std::string text_of(const std::vector<SummedRange>& ranges) {
  std::string text;
  std::uint64_t end = 0;
  for (const SummedRange& range : ranges) {
    EXPECT_EQ(range.begin, end);
    end = range.end();
    text += (text.empty() ? "" : " ") + std::to_string(range.size) + (range.sum ? "" : "?");
  }
  return text;
}

TEST(WrittenSums, CoverTheFile) {
  WrittenSums sums;
  EXPECT_EQ(text_of(sums.ranges(0)), "");
  EXPECT_EQ(text_of(sums.ranges(7)), "7?");
  add(sums, 30, 10);
  add(sums, 10, 10);
  add(sums, 20, 5);  // goes on where the one before has ended
  EXPECT_EQ(text_of(sums.ranges(50)), "10? 15 5? 10 10?");
  EXPECT_EQ(text_of(sums.ranges(35)), "10? 15 10?");
  add(sums, 0, 10);
  EXPECT_EQ(text_of(sums.ranges(40)), "10 15 5? 10");
}

TEST(WrittenSums, KnowNothingOfWhatIsWrittenAgain) {
  WrittenSums sums;
  add(sums, 0, 10);
  add(sums, 20, 30);
  add(sums, 100, 10);
  add(sums, 30, 2);
  add(sums, 40, 1);
  EXPECT_EQ(text_of(sums.ranges(110)), "10 90? 10");
  add(sums, 0, 10);
  sums.forget(104, 1);
  EXPECT_EQ(text_of(sums.ranges(110)), "110?");
}

TEST(WrittenSums, OfFilesAreTheirChecksums) {
  const std::string source = ::testing::TempDir() + "sums_source.bin",
                    path = ::testing::TempDir() + "sums.bin";
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::vector<std::byte> bytes = random_bytes(random, 300'000);
    std::ofstream(source, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const InputFile input(source);
    OutputFile file(path);
    file.sum_up();
    const std::size_t num_writes = random() % 12;
    for (std::size_t i = 0; i < num_writes; ++i) {
      const std::uint64_t offset = random() % 9'000'000, size = random() % bytes.size();
      if (random() % 5 == 0 && file.copy_by_system(input, 0, offset, size)) continue;
      const std::span<const std::byte> all = std::span(bytes).first(size);
      file.write(offset, {all.first(size / 3), {}, all.subspan(size / 3)});
    }
    file.complete(random() % 10'000'000);
    const int threads = 1 + static_cast<int>(random() % 3);
    EXPECT_EQ(file.checksum(threads), file_checksum(file.current_path())) << seed;
  }
  std::filesystem::remove(source);
}

TEST(WrittenSums, AreOfWhatTheStorageWasGiven) {
  const std::string path = ::testing::TempDir() + "sums.bin";
  std::mt19937 random(1);
  std::vector<std::byte> bytes = random_bytes(random, 100'000);
  OutputFile file(path);
  file.sum_up();
  file.write(0, bytes);
  std::fstream(file.current_path(), std::ios::binary | std::ios::in | std::ios::out).seekp(5000) << "damage";
  file.complete(bytes.size());
  EXPECT_EQ(file.checksum(), checksum_of_bytes(bytes));
  EXPECT_NE(file.checksum(), file_checksum(file.current_path()));
}

TEST(WrittenSums, OfDevicesAreNone) {
  OutputFile file("/dev/null");
  file.sum_up();
  file.write(0, std::vector<std::byte>(10));
  file.complete(10);
  EXPECT_EQ(file.checksum(), "");
}

}  // namespace
}  // namespace skimline::io
