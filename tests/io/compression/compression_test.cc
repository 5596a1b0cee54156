// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/compression.h"

#include "skimline/io/format_error.h"

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

namespace skimline::io {
namespace {

using Bytes = std::vector<std::byte>;

Bytes compressible(std::size_t size) {
  std::mt19937 generator(1);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator() % 5);
  return bytes;
}

// Compresses quickly.
Bytes steps(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i / 1000);
  return bytes;
}

Bytes chunk(const char* magic, std::size_t raw_size, const Bytes& body) {
  Bytes bytes = {std::byte(magic[0]), std::byte(magic[1]), std::byte{8}};
  for (const std::size_t size : {body.size(), raw_size})
    for (int i = 0; i < 3; ++i) bytes.push_back(static_cast<std::byte>(size >> 8 * i));
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Bytes deflated(const Bytes& raw, int window_bits) {
  Bytes body(raw.size() + 100);
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(body.data());
  stream.avail_out = static_cast<uInt>(body.size());
  deflate(&stream, Z_FINISH);
  body.resize(stream.total_out);
  deflateEnd(&stream);
  return body;
}

Bytes xz(const Bytes& raw) {
  Bytes body(raw.size() + 1000);
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(raw.data()),
                          raw.size(), reinterpret_cast<std::uint8_t*>(body.data()), &size, body.size());
  body.resize(size);
  return body;
}

std::vector<std::string> every_setting() {
  std::vector<std::string> names = {"none"};
  for (const auto& [name, max_level] : {std::pair("zstd", 19), {"lz4", 12}, {"zlib", 9}, {"lzma", 9}})
    for (int level = 1; level <= max_level; ++level)
      names.push_back(std::string(name) + ":" + std::to_string(level));
  return names;
}

TEST(Compression, what_is_compressed_comes_back) {
  for (const std::string& name : every_setting()) {
    for (const std::size_t size : {0, 1, 10, 1000, 100000}) {
      const Bytes raw = compressible(size);
      Bytes stored(3, std::byte{9});
      const std::size_t appended = compress_block(raw, parse_compression(name), stored);
      ASSERT_EQ(appended + 3, stored.size());
      EXPECT_LE(appended, size);
      if (name != "none" && size >= 1000) {
        EXPECT_LT(appended, size) << name;
      }
      Bytes again(size);
      decompress_block(std::span(stored).subspan(3), again);
      EXPECT_EQ(again, raw) << name << " " << size;
    }
  }
}

TEST(Compression, large_blocks_are_several_chunks) {
  const Bytes raw = steps(0xFFFFFF + 1000);
  for (const char* name : {"zstd:1", "lz4:1", "zlib:1", "lzma:1"}) {
    Bytes stored;
    EXPECT_LT(compress_block(raw, parse_compression(name), stored), raw.size());
    Bytes again(raw.size());
    decompress_block(stored, again);
    EXPECT_EQ(again, raw);
  }
}

TEST(Compression, incompressible_data_are_stored_as_they_are) {
  std::mt19937 generator(2);
  Bytes raw(100000);
  for (std::byte& byte : raw) byte = static_cast<std::byte>(generator());
  for (const std::string& name : every_setting()) {
    Bytes stored;
    EXPECT_EQ(compress_block(raw, parse_compression(name), stored), raw.size()) << name;
    EXPECT_EQ(stored, raw) << name;
  }
}

std::size_t stored_u24(const Bytes& block, std::size_t offset) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 3; ++i) value |= std::to_integer<std::size_t>(block[offset + i]) << 8 * i;
  return value;
}

Bytes compressed(const Bytes& raw, const std::string& name) {
  Bytes block;
  compress_block(raw, parse_compression(name), block);
  return block;
}

TEST(Compression, zlib_chunks_are_streams_of_zlib) {
  const Bytes raw = compressible(50000);
  for (int level = 1; level <= 9; ++level) {
    uLongf size = compressBound(50000);
    Bytes body(size);
    compress2(reinterpret_cast<Bytef*>(body.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), 50000,
              level);
    body.resize(size);
    EXPECT_EQ(compressed(raw, "zlib:" + std::to_string(level)), chunk("ZL", 50000, body)) << level;
  }
}

TEST(Compression, lzma_chunks_are_xz_streams_that_need_little_memory) {
  const Bytes raw = compressible(1 << 18);
  for (int level = 1; level <= 9; ++level) {
    const Bytes block = compressed(raw, "lzma:" + std::to_string(level));
    EXPECT_EQ(std::memcmp(block.data(), "XZ\0", 3), 0);
    EXPECT_EQ(stored_u24(block, 3), block.size() - 9);
    EXPECT_EQ(stored_u24(block, 6), raw.size());
    const auto* body = reinterpret_cast<const std::uint8_t*>(block.data()) + 9;
    lzma_stream_flags flags;
    ASSERT_EQ(lzma_stream_header_decode(&flags, body), LZMA_OK);
    EXPECT_EQ(flags.check, LZMA_CHECK_CRC32);
    std::uint64_t memory_limit = 1 << 18;
    std::size_t consumed = 0, produced = 0;
    Bytes again(raw.size());
    EXPECT_EQ(
        lzma_stream_buffer_decode(&memory_limit, 0, nullptr, body, &consumed, block.size() - 9,
                                  reinterpret_cast<std::uint8_t*>(again.data()), &produced, again.size()),
        LZMA_OK);
    EXPECT_EQ(again, raw);
  }
}

TEST(Compression, blocks_do_not_depend_on_what_was_compressed_before) {
  const Bytes small = compressible(3000), large = compressible(300000);
  Bytes noise(20000);
  std::mt19937 generator(4);
  for (std::byte& byte : noise) byte = static_cast<std::byte>(generator());
  for (const std::string name : {"zlib:1", "zlib:6", "lzma:1", "lzma:7", "zstd:5", "lz4:4"}) {
    Bytes first;
    std::thread([&] { first = compressed(small, name); }).join();
    compressed(large, name);
    compressed(noise, name);
    EXPECT_EQ(compressed(small, name), first) << name;
  }
}

TEST(Compression, the_block_is_raw_if_one_chunk_does_not_shrink) {
  const Bytes raw = steps(0xFFFFFF + 5);
  Bytes stored;
  for (const char* name : {"lz4:1", "zlib:1", "lzma:1", "zstd:1"}) {
    stored.clear();
    EXPECT_EQ(compress_block(raw, parse_compression(name), stored), raw.size());
    EXPECT_EQ(stored, raw);
  }
}

TEST(Compression, reads_zlib_deflate_and_lzma) {
  const Bytes raw = compressible(5000);
  for (const Bytes& block : {chunk("ZL", 5000, deflated(raw, 15)), chunk("CS", 5000, deflated(raw, -15)),
                             chunk("XZ", 5000, xz(raw))}) {
    Bytes again(5000);
    decompress_block(block, again);
    EXPECT_EQ(again, raw);
  }
}

TEST(Compression, damaged_blocks_are_refused) {
  const Bytes raw = compressible(5000);
  Bytes zstd_block, lz4_block;
  compress_block(raw, parse_compression("zstd"), zstd_block);
  compress_block(raw, parse_compression("lz4"), lz4_block);
  const Bytes zlib_block = chunk("ZL", 5000, deflated(raw, 15));
  for (const Bytes& good : {zstd_block, lz4_block, zlib_block, chunk("XZ", 5000, xz(raw))}) {
    Bytes out(5000);
    EXPECT_THROW(decompress_block(std::span(good).first(good.size() - 1), out), FormatError);
    EXPECT_THROW(decompress_block(std::span(good).first(5), out), FormatError);
    Bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_THROW(decompress_block(longer, out), FormatError);
    Bytes short_out(4999), long_out(5001), tiny(10);
    EXPECT_THROW(decompress_block(good, short_out), FormatError);
    EXPECT_THROW(decompress_block(good, long_out), FormatError);
    EXPECT_THROW(decompress_block(good, tiny), FormatError);
    Bytes unknown = good;
    unknown[0] = std::byte{'?'};
    EXPECT_THROW(decompress_block(unknown, out), FormatError);
  }
  Bytes flipped = lz4_block;
  flipped[30] ^= std::byte{1};
  Bytes out(5000);
  EXPECT_THROW(decompress_block(flipped, out), FormatError);
}

std::string problem_of(const Bytes& block, Bytes& out) {
  try {
    decompress_block(block, out);
  } catch (const FormatError& error) {
    return error.what();
  }
  return {};
}

TEST(Compression, no_flipped_bit_changes_what_comes_out) {
  const Bytes raw = compressible(3000);
  for (const char* setting : {"zstd:1", "zstd:5", "zstd:19", "lz4:1", "lz4:9", "zlib:1", "lzma:1"}) {
    const Bytes good = compressed(raw, setting);
    ASSERT_LT(good.size(), raw.size());
    std::size_t wrong_checksums = 0;
    for (std::size_t place = 0; place < good.size(); ++place) {
      Bytes damaged = good;
      damaged[place] ^= std::byte(1 << place % 8);
      Bytes out(raw.size());
      const std::string problem = problem_of(damaged, out);
      // Some bits mean nothing, or the same: a copy of equal bytes from elsewhere.
      EXPECT_TRUE(!problem.empty() || out == raw) << setting << " " << place;
      wrong_checksums += problem.find("checksum") != std::string::npos;
    }
    const bool tells_checksums =
        std::string(setting).starts_with("zs") || std::string(setting).starts_with("lz4");
    EXPECT_TRUE(!tells_checksums || wrong_checksums > good.size() / 2) << setting << " " << wrong_checksums;
  }
}

TEST(Compression, what_has_a_checksum_elsewhere_has_none_in_zstd) {
  const Bytes raw = compressible(5000);
  Bytes with, without;
  compress_block(raw, parse_compression("zstd"), with);
  compress_block(raw, parse_compression("zstd"), without, BlockChecksum::kElsewhere);
  EXPECT_EQ(with.size(), without.size() + 4);
  Bytes again(raw.size());
  decompress_block(without, again);
  EXPECT_EQ(again, raw);
}

TEST(Compression, settings_are_spelled_as_in_configs) {
  EXPECT_EQ(parse_compression("zstd").root_number(), 505);
  EXPECT_EQ(parse_compression("lz4").root_number(), 404);
  EXPECT_EQ(parse_compression("zlib").root_number(), 101);
  EXPECT_EQ(parse_compression("lzma").root_number(), 207);
  EXPECT_EQ(parse_compression("lzma:9").root_number(), 209);
  EXPECT_EQ(parse_compression("none").root_number(), 0);
  EXPECT_EQ(compression_name(519), "zstd:19");
  EXPECT_EQ(compression_name(101), "zlib:1");
  EXPECT_EQ(compression_name(0), "none");
  EXPECT_EQ(compression_name(7), "zlib:7");
  EXPECT_EQ(compression_name(707), "unknown (707)");
  for (const char* bad : {"", "zstd:", "zstd:0", "zstd:20", "lz4:13", "lz4:x", "zstd:5 ", "zlib:0", "zlib:10",
                          "lzma:10", "lzma:", "gzip:1", "none:1"})
    EXPECT_THROW(parse_compression(bad), ConfigError) << bad;
  Bytes stored;
  for (const CompressionSetting bad : {CompressionSetting{CompressionAlgorithm::kZlib, 10},
                                       CompressionSetting{CompressionAlgorithm::kLzma, 0}})
    EXPECT_THROW(compress_block({}, bad, stored), ConfigError);
}

}  // namespace
}  // namespace skimline::io
