// SPDX-License-Identifier: BSD-3-Clause
// ROOT's compressed blocks: one or more chunks with a nine-byte header each, or the raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// The algorithms that ROOT has.
enum class CompressionAlgorithm { kNone, kZlib, kLzma, kLz4, kZstd };

/// How to compress, as configs spell it ("zstd:5", "lz4", "none") and as ROOT numbers it (505, 404, 0).
/// Levels are from 1 to those that parse_compression allows.
struct CompressionSetting {
  CompressionAlgorithm algorithm = CompressionAlgorithm::kZstd;
  int level = 5;

  /// Returns 100 * algorithm + level as stored in page lists and file headers; 0 for none.
  int root_number() const;
  friend bool operator==(const CompressionSetting&, const CompressionSetting&) = default;
};

/// Reads "none", "zstd:1".."zstd:19", "lz4:1".."lz4:12", "zlib:1".."zlib:9" or "lzma:1".."lzma:9" (levels as
/// the libraries define them). Without a level: zstd 5, lz4 4, zlib 1, lzma 7. Throws ConfigError naming what
/// is allowed.
CompressionSetting parse_compression(std::string_view text);
std::optional<CompressionSetting> parse_writer_compression(std::string_view text);  ///< none for "auto"

/// Returns the setting as configs spell it, for any number found in a file: "zstd:5", "none", "unknown (7)".
std::string compression_name(int root_number);

/// Whether a block proves what it holds. All algorithms of ROOT have a checksum in each chunk but zstd, for
/// which it takes four bytes more. Blocks that are stored raw have none.
enum class BlockChecksum {
  kInside,     ///< also in zstd
  kElsewhere,  ///< whoever stores the block keeps a checksum of its own: none in zstd
};

/// Appends the block for `raw` to `stored` and returns its size; it is `raw` itself where compressing makes
/// some chunk no smaller. Throws ConfigError for levels that parse_compression refuses. Thread-safe.
std::size_t compress_block(std::span<const std::byte> raw, CompressionSetting setting,
                           std::vector<std::byte>& stored, BlockChecksum checksum = BlockChecksum::kInside);

/// No algorithm makes more bytes than this out of one.
inline constexpr std::uint64_t kMaxExpansion = 32768;

/// Fills `raw` from a block; all algorithms ROOT writes are read. Equal sizes mean stored raw. Returns
/// whether all bytes were compared with checksums of the compression: zlib, lzma and lz4 have them, zstd
/// where the writer asked for it. Throws FormatError if it is damaged, too short or too long. Thread-safe.
bool decompress_block(std::span<const std::byte> stored, std::span<std::byte> raw);

}  // namespace skimline::io
