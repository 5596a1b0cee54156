// SPDX-License-Identifier: BSD-3-Clause
// The key in front of each record of a ROOT file, as it is written.
#pragma once

#include "storage/byte_writer.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace skimline::io {

/// Offsets above this are written with 64 bits.
constexpr std::uint64_t kSmallFileLimit = 2'000'000'000;
/// Offset of the top directory's record, where the chain of records begins.
constexpr std::uint64_t kTopDirectory = 100;
/// Added to the version of a file where offsets have 64 bits.
constexpr std::int32_t kLargeFile = 1000000;
/// Room for either width of a directory's fields.
constexpr std::size_t kDirectorySize = 60;
/// All dates in a file, 2000-01-01 00:00:00: equal content gives equal bytes.
constexpr std::uint32_t kFixedDate = (2000u - 1995u) << 26 | 1u << 22 | 1u << 17;

struct RecordKey {
  std::string class_name, name, title;
  std::uint64_t object_size = 0;
  std::uint64_t bytes_saved = 0;            ///< by compression: the payload is smaller than the object
  std::uint64_t offset = 0;                 ///< of the record
  std::uint64_t directory = kTopDirectory;  ///< offset of the record of the directory it belongs to
  bool is_long = false;                     ///< both offsets have 64 bits
  std::uint16_t process_offset = 0;  ///< of a long one: what it adds to numbers of processes in the record

  /// Size of the key itself.
  std::size_t size() const;
  std::uint64_t record_size() const { return size() + object_size - bytes_saved; }
  std::uint64_t payload_offset() const { return offset + size(); }

  void write(ByteWriter& out) const;
};

/// The key of a record that no directory lists: RNTuple pages, envelopes, filler. Its length is fixed.
RecordKey blob_key(std::uint64_t object_size);

/// Size of a counted string of the container.
std::size_t root_string_size(const std::string& text);

}  // namespace skimline::io
