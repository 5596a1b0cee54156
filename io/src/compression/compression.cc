// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/compression.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <libdeflate.h>
#include <lz4.h>
#include <lz4hc.h>
#include <lzma.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace skimline::io {
namespace {

constexpr std::size_t kChunkHeader = 9;
constexpr std::size_t kLz4Hash = 8;
constexpr std::size_t kMaxChunk = 0xFFFFFF;
// Level 9 of xz needs 65 MiB to decode; a chunk asking for more was not written by ROOT.
constexpr std::uint64_t kMaxLzmaMemory = 128 * 1024 * 1024;
constexpr int kMaxZlibLevel = 9;

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

// The state of zlib's compressor for one level. Resetting it is cheap, making it takes 256 KiB.
class Deflater {
 public:
  explicit Deflater(int level) {
    if (deflateInit(&stream_, level) != Z_OK) throw std::bad_alloc();
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }

  z_stream& reset() {
    deflateReset(&stream_);
    return stream_;
  }

 private:
  z_stream stream_{};
};

z_stream& zlib_compressor(int level) {
  thread_local std::unique_ptr<Deflater> deflaters[kMaxZlibLevel + 1];
  std::unique_ptr<Deflater>& deflater = deflaters[level];
  if (!deflater) deflater = std::make_unique<Deflater>(level);
  return deflater->reset();
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

libdeflate_decompressor& deflate_decompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  return *decompressor;
}

// The state of liblzma's compressor: the library reuses its memory where the next stream needs as much.
class LzmaStream {
 public:
  LzmaStream() = default;
  LzmaStream(const LzmaStream&) = delete;
  LzmaStream& operator=(const LzmaStream&) = delete;
  ~LzmaStream() { lzma_end(&stream_); }

  lzma_stream& get() { return stream_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

void set_buffers(z_stream& stream, Bytes input, MutableBytes output) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
}

// What became of a chunk: whether it is `raw.size()` bytes that fit, and whether a checksum proves them.
enum class Chunk { kDamaged, kDecompressed, kVerified };

// Each says whether `body` decompressed to exactly the bytes of `raw`.

template <auto kDecompress>
bool inflate(Bytes body, MutableBytes raw) {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  const libdeflate_result status = kDecompress(&deflate_decompressor(), body.data(), body.size(), raw.data(),
                                               raw.size(), &consumed, &produced);
  return status == LIBDEFLATE_SUCCESS && consumed == body.size() && produced == raw.size();
}

// The integrity check that the header of an .xz stream names.
bool has_xz_check(Bytes body) {
  constexpr std::size_t kFlags = 7;
  constexpr unsigned kCheckBits = 0x0F;
  if (body.size() <= kFlags) return false;
  const auto check = static_cast<lzma_check>(std::to_integer<unsigned>(body[kFlags]) & kCheckBits);
  return check != LZMA_CHECK_NONE && lzma_check_is_supported(check);
}

bool unxz(Bytes body, MutableBytes raw) {
  std::uint64_t memory_limit = kMaxLzmaMemory;
  std::size_t consumed = 0;
  std::size_t produced = 0;
  const lzma_ret status = lzma_stream_buffer_decode(
      &memory_limit, 0, nullptr, reinterpret_cast<const std::uint8_t*>(body.data()), &consumed, body.size(),
      reinterpret_cast<std::uint8_t*>(raw.data()), &produced, raw.size());
  return status == LZMA_OK && consumed == body.size() && produced == raw.size();
}

[[noreturn]] void throw_wrong_checksum() { throw FormatError("the checksum of a compressed chunk is wrong"); }

bool unlz4(Bytes body, MutableBytes raw) {
  if (body.size() < kLz4Hash) return false;
  const Bytes block = body.subspan(kLz4Hash);
  XXH64_canonical_t stored;
  std::memcpy(&stored, body.data(), kLz4Hash);
  if (XXH64_hashFromCanonical(&stored) != XXH64(block.data(), block.size(), 0)) throw_wrong_checksum();
  return LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(raw.data()),
                             static_cast<int>(block.size()),
                             static_cast<int>(raw.size())) == static_cast<int>(raw.size());
}

// Whether `body` is one frame with a checksum of its content, which decompressing compares.
bool has_zstd_checksum(Bytes body) {
  constexpr std::size_t kDescriptor = 4;  // behind the magic number
  constexpr std::byte kChecksumBit{4};
  return body.size() > kDescriptor && (body[kDescriptor] & kChecksumBit) != std::byte{0} &&
         ZSTD_findFrameCompressedSize(body.data(), body.size()) == body.size();
}

bool unzstd(Bytes body, MutableBytes raw) {
  const std::size_t size =
      ZSTD_decompressDCtx(zstd_decompressor(), raw.data(), raw.size(), body.data(), body.size());
  if (ZSTD_getErrorCode(size) == ZSTD_error_checksum_wrong) throw_wrong_checksum();
  return size == raw.size();
}

Chunk decompress_chunk(std::string_view magic, Bytes body, MutableBytes raw) {
  const auto result = [](bool is_sound, bool has_checksum) {
    if (!is_sound) return Chunk::kDamaged;
    return has_checksum ? Chunk::kVerified : Chunk::kDecompressed;
  };
  if (magic == "ZS") return result(unzstd(body, raw), has_zstd_checksum(body));
  if (magic == "L4") return result(unlz4(body, raw), true);
  if (magic == "ZL") return result(inflate<libdeflate_zlib_decompress_ex>(body, raw), true);
  if (magic == "CS") return result(inflate<libdeflate_deflate_decompress_ex>(body, raw), false);
  if (magic == "XZ") return result(unxz(body, raw), has_xz_check(body));
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

// Each compresses into `body` and returns the bytes written, 0 if they would not fit.

std::size_t compress_zlib(Bytes raw, int level, BlockChecksum, MutableBytes body) {
  z_stream& stream = zlib_compressor(level);
  set_buffers(stream, raw, body);
  return deflate(&stream, Z_FINISH) == Z_STREAM_END ? body.size() - stream.avail_out : 0;
}

// As ROOT does: a dictionary of a quarter of the chunk, so that compressing and decompressing need little
// memory at any level.
std::size_t compress_lzma(Bytes raw, int level, BlockChecksum, MutableBytes body) {
  lzma_options_lzma options;
  if (lzma_lzma_preset(&options, static_cast<std::uint32_t>(level))) return 0;
  const std::uint32_t quarter =
      std::max<std::uint32_t>(static_cast<std::uint32_t>(raw.size() / 4), LZMA_DICT_SIZE_MIN);
  options.dict_size = std::min(options.dict_size, quarter);
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  thread_local LzmaStream context;
  lzma_stream& stream = context.get();
  if (lzma_stream_encoder(&stream, filters, LZMA_CHECK_CRC32) != LZMA_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<const std::uint8_t*>(raw.data());
  stream.avail_in = raw.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(body.data());
  stream.avail_out = body.size();
  return lzma_code(&stream, LZMA_FINISH) == LZMA_STREAM_END ? body.size() - stream.avail_out : 0;
}

std::size_t compress_zstd(Bytes raw, int level, BlockChecksum checksum, MutableBytes body) {
  ZSTD_CCtx* const context = zstd_compressor();
  std::size_t size = 0;
  if (checksum == BlockChecksum::kElsewhere) {
    size = ZSTD_compressCCtx(context, body.data(), body.size(), raw.data(), raw.size(), level);
  } else {
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    size = ZSTD_compress2(context, body.data(), body.size(), raw.data(), raw.size());
  }
  return ZSTD_isError(size) ? 0 : size;
}

std::size_t compress_lz4(Bytes raw, int level, BlockChecksum, MutableBytes body) {
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

struct Codec {
  std::string_view name;
  CompressionAlgorithm algorithm;
  int number;  // ROOT's
  int default_level;
  int max_level;
  char magic[3];
  std::size_t (*compress)(Bytes raw, int level, BlockChecksum checksum, MutableBytes body);
};

constexpr Codec kCodecs[] = {
    {"zlib", CompressionAlgorithm::kZlib, 1, 1, kMaxZlibLevel, {'Z', 'L', 8}, compress_zlib},
    {"lzma", CompressionAlgorithm::kLzma, 2, 7, 9, {'X', 'Z', 0}, compress_lzma},
    {"lz4", CompressionAlgorithm::kLz4, 4, 4, 12, {'L', '4', 1}, compress_lz4},
    {"zstd", CompressionAlgorithm::kZstd, 5, 5, 19, {'Z', 'S', 1}, compress_zstd},
};

// Returns nullptr for kNone.
const Codec* find_codec(CompressionAlgorithm algorithm) {
  for (const Codec& codec : kCodecs)
    if (codec.algorithm == algorithm) return &codec;
  return nullptr;
}

[[noreturn]] void throw_unknown(std::string_view text, const char* also_allowed = "") {
  throw ConfigError(std::string("compression must be ") + also_allowed +
                    "\"none\", \"zstd:1\" to \"zstd:19\", \"lz4:1\" to \"lz4:12\", "
                    "\"zlib:1\" to \"zlib:9\" or \"lzma:1\" to \"lzma:9\": got \"" +
                    std::string(text) + "\"");
}

std::optional<CompressionSetting> parse_setting(std::string_view text) {
  if (text == "none") return CompressionSetting{CompressionAlgorithm::kNone, 0};
  const std::size_t colon = text.find(':');
  for (const Codec& codec : kCodecs) {
    if (text.substr(0, colon) != codec.name) continue;
    if (colon == std::string_view::npos) return CompressionSetting{codec.algorithm, codec.default_level};
    const std::optional<int> level = parse_level(text.substr(colon + 1));
    if (!level || *level < 1 || *level > codec.max_level) return std::nullopt;
    return CompressionSetting{codec.algorithm, *level};
  }
  return std::nullopt;
}

// Returns the bytes of the chunk with its header, 0 if it would not be smaller than `raw`.
std::size_t compress_chunk(Bytes raw, const Codec& codec, int level, BlockChecksum checksum,
                           MutableBytes chunk) {
  const std::size_t size = codec.compress(raw, level, checksum, chunk.subspan(kChunkHeader));
  if (size == 0 || kChunkHeader + size >= raw.size()) return 0;
  std::memcpy(chunk.data(), codec.magic, sizeof codec.magic);
  write_u24(chunk.data() + 3, size);
  write_u24(chunk.data() + 6, raw.size());
  return kChunkHeader + size;
}

// Returns whether every chunk became smaller; `stored` is as before if not.
bool append_chunks(Bytes raw, const Codec& codec, int level, BlockChecksum checksum,
                   std::vector<std::byte>& stored) {
  thread_local Scratch scratch;
  const std::size_t before = stored.size();
  while (!raw.empty()) {
    const Bytes piece = raw.first(std::min(raw.size(), kMaxChunk));
    const MutableBytes chunk = scratch.reserve(chunk_bound(piece.size()));
    const std::size_t size = compress_chunk(piece, codec, level, checksum, chunk);
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
  const Codec* codec = find_codec(algorithm);
  return codec == nullptr ? 0 : 100 * codec->number + level;
}

CompressionSetting parse_compression(std::string_view text) {
  const std::optional<CompressionSetting> setting = parse_setting(text);
  if (!setting) throw_unknown(text);
  return *setting;
}

std::optional<CompressionSetting> parse_writer_compression(std::string_view text) {
  if (text == "auto") return std::nullopt;
  const std::optional<CompressionSetting> setting = parse_setting(text);
  if (!setting) throw_unknown(text, "\"auto\", ");
  return setting;
}

std::string compression_name(int root_number) {
  if (root_number == 0) return "none";
  // Without an algorithm the number is a level of the default one, zlib.
  if (root_number > 0 && root_number < 100) return "zlib:" + std::to_string(root_number);
  for (const Codec& codec : kCodecs)
    if (root_number > 0 && root_number / 100 == codec.number)
      return std::string(codec.name) + ":" + std::to_string(root_number % 100);
  return "unknown (" + std::to_string(root_number) + ")";
}

std::size_t compress_block(Bytes raw, CompressionSetting setting, std::vector<std::byte>& stored,
                           BlockChecksum checksum) {
  const std::size_t before = stored.size();
  const Codec* codec = find_codec(setting.algorithm);
  if (codec != nullptr && (setting.level < 1 || setting.level > codec->max_level))
    throw_unknown(std::string(codec->name) + ":" + std::to_string(setting.level));
  if (codec == nullptr || raw.empty() || !append_chunks(raw, *codec, setting.level, checksum, stored))
    stored.insert(stored.end(), raw.begin(), raw.end());
  return stored.size() - before;
}

bool decompress_block(Bytes stored, MutableBytes raw) {
  if (stored.size() == raw.size()) {
    copy_bytes(stored, raw);
    return raw.empty();
  }
  bool is_verified = true;
  if (stored.size() > raw.size()) throw FormatError("compressed block is larger than what it holds");
  while (!raw.empty()) {
    if (stored.size() < kChunkHeader) throw FormatError("compressed block ends too early");
    const std::string_view magic(reinterpret_cast<const char*>(stored.data()), 2);
    const std::size_t stored_size = read_u24(stored.data() + 3);
    const std::size_t raw_size = read_u24(stored.data() + 6);
    stored = stored.subspan(kChunkHeader);
    if (stored_size > stored.size() || raw_size > raw.size() || raw_size == 0)
      throw FormatError("compressed chunk with impossible sizes");
    const Chunk chunk = decompress_chunk(magic, stored.first(stored_size), raw.first(raw_size));
    if (chunk == Chunk::kDamaged) throw FormatError("compressed chunk is damaged");
    is_verified &= chunk == Chunk::kVerified;
    stored = stored.subspan(stored_size);
    raw = raw.subspan(raw_size);
  }
  if (!stored.empty()) throw FormatError("compressed block has bytes left over");
  return is_verified;
}

}  // namespace skimline::io
