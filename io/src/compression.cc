// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/compression.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <lz4.h>
#include <lz4hc.h>
#include <lzma.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

namespace skimline::io {
namespace {

constexpr std::size_t kChunkHeader = 9;
constexpr std::size_t kLz4Hash = 8;
constexpr std::size_t kMaxChunk = 0xFFFFFF;
// Level 9 of xz needs 65 MiB to decode; a chunk asking for more was not written by ROOT.
constexpr std::uint64_t kMaxLzmaMemory = 128 * 1024 * 1024;

struct NamedAlgorithm {
  std::string_view name;
  CompressionAlgorithm algorithm;
  int number;
  int default_level;
  int max_level;
  bool is_written;
};

constexpr NamedAlgorithm kAlgorithms[] = {
    {"zlib", CompressionAlgorithm::kZlib, 1, 1, 9, false},
    {"lzma", CompressionAlgorithm::kLzma, 2, 7, 9, false},
    {"lz4", CompressionAlgorithm::kLz4, 4, 4, 12, true},
    {"zstd", CompressionAlgorithm::kZstd, 5, 5, 19, true},
};

[[noreturn]] void throw_unknown(std::string_view text) {
  throw ConfigError(
      "compression must be \"none\", \"zstd:1\" to \"zstd:19\" or \"lz4:1\" to \"lz4:12\": got \"" +
      std::string(text) + "\"");
}

std::optional<int> parse_level(std::string_view text) {
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return level;
}

std::uint32_t read_u24(const std::byte* bytes) {
  return std::to_integer<std::uint32_t>(bytes[0]) | std::to_integer<std::uint32_t>(bytes[1]) << 8 |
         std::to_integer<std::uint32_t>(bytes[2]) << 16;
}

void write_u24(std::byte* bytes, std::size_t value) {
  for (int i = 0; i < 3; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
}

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_DCtx* zstd_decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

ZSTD_CCtx* zstd_compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

// Each returns whether `body` decompressed to exactly the bytes of `raw`.

bool inflate_chunk(Bytes body, MutableBytes raw, int window_bits) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw.data());
  stream.avail_out = static_cast<uInt>(raw.size());
  const int status = inflate(&stream, Z_FINISH);
  const bool is_complete = status == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
  inflateEnd(&stream);
  return is_complete;
}

bool unxz_chunk(Bytes body, MutableBytes raw) {
  std::uint64_t memory_limit = kMaxLzmaMemory;
  std::size_t consumed = 0;
  std::size_t produced = 0;
  const lzma_ret status = lzma_stream_buffer_decode(
      &memory_limit, 0, nullptr, reinterpret_cast<const std::uint8_t*>(body.data()), &consumed, body.size(),
      reinterpret_cast<std::uint8_t*>(raw.data()), &produced, raw.size());
  return status == LZMA_OK && consumed == body.size() && produced == raw.size();
}

bool unlz4_chunk(Bytes body, MutableBytes raw) {
  if (body.size() < kLz4Hash) return false;
  const Bytes block = body.subspan(kLz4Hash);
  XXH64_canonical_t stored;
  std::memcpy(&stored, body.data(), kLz4Hash);
  if (XXH64_hashFromCanonical(&stored) != XXH64(block.data(), block.size(), 0)) return false;
  return LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(raw.data()),
                             static_cast<int>(block.size()),
                             static_cast<int>(raw.size())) == static_cast<int>(raw.size());
}

bool unzstd_chunk(Bytes body, MutableBytes raw) {
  return ZSTD_decompressDCtx(zstd_decompressor(), raw.data(), raw.size(), body.data(), body.size()) ==
         raw.size();
}

bool decompress_chunk(std::string_view magic, Bytes body, MutableBytes raw) {
  if (magic == "ZS") return unzstd_chunk(body, raw);
  if (magic == "L4") return unlz4_chunk(body, raw);
  if (magic == "ZL") return inflate_chunk(body, raw, MAX_WBITS);
  if (magic == "CS") return inflate_chunk(body, raw, -MAX_WBITS);
  if (magic == "XZ") return unxz_chunk(body, raw);
  throw FormatError("compressed chunk of unknown kind");
}

// Memory that keeps its capacity and is never zeroed.
class Scratch {
 public:
  MutableBytes reserve(std::size_t size) {
    if (size > capacity_) {
      bytes_.reset(new std::byte[size]);
      capacity_ = size;
    }
    return {bytes_.get(), size};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t capacity_ = 0;
};

std::size_t compress_zstd(Bytes raw, int level, MutableBytes body) {
  const std::size_t size =
      ZSTD_compressCCtx(zstd_compressor(), body.data(), body.size(), raw.data(), raw.size(), level);
  return ZSTD_isError(size) ? 0 : size;
}

std::size_t compress_lz4(Bytes raw, int level, MutableBytes body) {
  const auto* source = reinterpret_cast<const char*>(raw.data());
  auto* target = reinterpret_cast<char*>(body.data() + kLz4Hash);
  const int source_size = static_cast<int>(raw.size());
  const int capacity = static_cast<int>(body.size() - kLz4Hash);
  const int size = level < LZ4HC_CLEVEL_MIN ? LZ4_compress_default(source, target, source_size, capacity)
                                            : LZ4_compress_HC(source, target, source_size, capacity, level);
  if (size <= 0) return 0;
  XXH64_canonical_t hash;
  XXH64_canonicalFromHash(&hash, XXH64(target, static_cast<std::size_t>(size), 0));
  std::memcpy(body.data(), &hash, kLz4Hash);
  return kLz4Hash + static_cast<std::size_t>(size);
}

std::size_t chunk_bound(std::size_t size) {
  return kChunkHeader + kLz4Hash +
         std::max<std::size_t>(ZSTD_compressBound(size),
                               static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(size))));
}

// Returns the bytes of the chunk with its header, 0 if it would not be smaller than `raw`.
std::size_t compress_chunk(Bytes raw, CompressionSetting setting, MutableBytes chunk) {
  const bool is_zstd = setting.algorithm == CompressionAlgorithm::kZstd;
  const MutableBytes body = chunk.subspan(kChunkHeader);
  const std::size_t size =
      is_zstd ? compress_zstd(raw, setting.level, body) : compress_lz4(raw, setting.level, body);
  if (size == 0 || kChunkHeader + size >= raw.size()) return 0;
  std::memcpy(chunk.data(), is_zstd ? "ZS\1" : "L4\1", 3);
  write_u24(chunk.data() + 3, size);
  write_u24(chunk.data() + 6, raw.size());
  return kChunkHeader + size;
}

// Returns whether every chunk became smaller; `stored` is as before if not.
bool append_chunks(Bytes raw, CompressionSetting setting, std::vector<std::byte>& stored) {
  thread_local Scratch scratch;
  const std::size_t before = stored.size();
  while (!raw.empty()) {
    const Bytes piece = raw.first(std::min(raw.size(), kMaxChunk));
    const MutableBytes chunk = scratch.reserve(chunk_bound(piece.size()));
    const std::size_t size = compress_chunk(piece, setting, chunk);
    if (size == 0) {
      stored.resize(before);
      return false;
    }
    stored.insert(stored.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size));
    raw = raw.subspan(piece.size());
  }
  return true;
}

void copy_bytes(Bytes from, MutableBytes to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

int CompressionSetting::root_number() const {
  for (const NamedAlgorithm& known : kAlgorithms)
    if (known.algorithm == algorithm) return 100 * known.number + level;
  return 0;
}

CompressionSetting parse_compression(std::string_view text) {
  if (text == "none") return {CompressionAlgorithm::kNone, 0};
  const std::size_t colon = text.find(':');
  for (const NamedAlgorithm& known : kAlgorithms) {
    if (!known.is_written || text.substr(0, colon) != known.name) continue;
    if (colon == std::string_view::npos) return {known.algorithm, known.default_level};
    const std::optional<int> level = parse_level(text.substr(colon + 1));
    if (!level || *level < 1 || *level > known.max_level) throw_unknown(text);
    return {known.algorithm, *level};
  }
  throw_unknown(text);
}

std::string compression_name(int root_number) {
  if (root_number == 0) return "none";
  for (const NamedAlgorithm& known : kAlgorithms)
    if (root_number > 0 && root_number / 100 == known.number)
      return std::string(known.name) + ":" + std::to_string(root_number % 100);
  return "unknown (" + std::to_string(root_number) + ")";
}

std::size_t compress_block(Bytes raw, CompressionSetting setting, std::vector<std::byte>& stored) {
  const std::size_t before = stored.size();
  const bool is_written =
      setting.algorithm == CompressionAlgorithm::kZstd || setting.algorithm == CompressionAlgorithm::kLz4;
  if (setting.algorithm != CompressionAlgorithm::kNone && !is_written)
    throw ConfigError("compression with " + compression_name(setting.root_number()) + " can only be read");
  if (!is_written || raw.empty() || !append_chunks(raw, setting, stored))
    stored.insert(stored.end(), raw.begin(), raw.end());
  return stored.size() - before;
}

void decompress_block(Bytes stored, MutableBytes raw) {
  if (stored.size() == raw.size()) return copy_bytes(stored, raw);
  if (stored.size() > raw.size()) throw FormatError("compressed block is larger than what it holds");
  while (!raw.empty()) {
    if (stored.size() < kChunkHeader) throw FormatError("compressed block ends too early");
    const std::string_view magic(reinterpret_cast<const char*>(stored.data()), 2);
    const std::size_t stored_size = read_u24(stored.data() + 3);
    const std::size_t raw_size = read_u24(stored.data() + 6);
    stored = stored.subspan(kChunkHeader);
    if (stored_size > stored.size() || raw_size > raw.size() || raw_size == 0)
      throw FormatError("compressed chunk with impossible sizes");
    if (!decompress_chunk(magic, stored.first(stored_size), raw.first(raw_size)))
      throw FormatError("compressed chunk is damaged");
    stored = stored.subspan(stored_size);
    raw = raw.subspan(raw_size);
  }
  if (!stored.empty()) throw FormatError("compressed block has bytes left over");
}

}  // namespace skimline::io
