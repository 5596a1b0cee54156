// SPDX-License-Identifier: BSD-3-Clause
// The checksums of a file that Skimline wrote: of its header, its directories and lists, and all objects in
// them. An unlisted record holds them, which the last bytes of the header lead to. The layout is in
// docs/histogram-files.md.
#pragma once

#include "skimline/io/input_file.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skimline::io {

/// What is known about a record: bytes from `offset` on, key included. The header counts as one.
struct SealedRecord {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t size_behind = 0;  ///< of an unlisted record directly behind it, which has its own checksum
  std::uint64_t hash = 0;         ///< XXH3-64

  bool fits(std::span<const std::byte> record) const;
};

/// The size of a ROOT file's header, whose end, zeros in the files of others, leads to the seal.
inline constexpr std::size_t kHeaderSize = 100;
inline constexpr std::size_t kSealPointer = 84;
inline constexpr std::size_t kSealedRecordSize = 24;

class FileSeal {
 public:
  /// Returns the seal of a file with that header and whose end the header gives; nothing if it has none, or
  /// has grown since: another program wrote to it. Throws FormatError if it is damaged, or the file shorter.
  static std::optional<FileSeal> read(const InputFile& file, std::span<const std::byte> header,
                                      std::uint64_t end);

  /// In the order of their offsets.
  std::span<const SealedRecord> records() const { return records_; }
  /// Throws FormatError if no record of that size is known there.
  const SealedRecord& at(std::uint64_t offset, std::uint64_t size) const;
  /// Throws FormatError if no record begins there.
  const SealedRecord& at(std::uint64_t offset) const;
  /// Throws FormatError unless the record is what was written. Thread-safe.
  void check(std::uint64_t offset, std::span<const std::byte> record) const;

 private:
  bool lacks_free_list(const InputFile& file, std::span<const std::byte> header) const;

  std::vector<SealedRecord> records_;
};

/// Throws FormatError unless the bytes are those of the record.
void check_sealed(const SealedRecord& known, std::span<const std::byte> record);

/// `pieces` make the record.
SealedRecord sealed_record(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces,
                           std::uint64_t size_behind = 0);

/// Makes the seal of a new file.
class SealWriter {
 public:
  void add(const SealedRecord& record) { records_.push_back(record); }
  std::size_t num_records() const { return records_.size(); }

  /// Size of the payload for so many records.
  static std::uint64_t payload_size(std::size_t num_records);
  /// Of a file of `file_size` bytes.
  std::vector<std::byte> payload(std::uint64_t file_size);

 private:
  std::vector<SealedRecord> records_;
};

}  // namespace skimline::io
