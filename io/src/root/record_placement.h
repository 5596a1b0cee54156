// SPDX-License-Identifier: BSD-3-Clause
// Where the records of a new ROOT file go: small ones into room in front of the data, all others one after
// the other behind it.
#pragma once

#include "root/record_key.h"

#include <cstdint>
#include <optional>

namespace skimline::io {

/// Payloads of clusters, and the data as a whole, begin at multiples of this: the block of file systems that
/// share blocks between files.
constexpr std::uint64_t kBlockSize = 4096;

/// Sets `offset` and `is_long` of keys; arithmetic only. Throws InternalError for a record of 2 GiB or more.
/// Not thread-safe.
class RecordPlacement {
 public:
  /// The room in front begins at `front`, and the data at a multiple of kBlockSize behind it.
  explicit RecordPlacement(std::uint64_t front);

  /// Places a record at the end.
  void append(RecordKey& key);

  /// Places a blob at the end whose payload begins with filler, so that the last `payload_size` bytes begin
  /// `into_block` bytes, less than kBlockSize, behind a multiple of kBlockSize. Sets also `object_size`.
  void append_aligned(RecordKey& blob, std::uint64_t payload_size, std::uint64_t into_block = 0);

  /// Returns where `size` bytes of records begin, which are placed at the end.
  std::uint64_t append_records(std::uint64_t size);

  /// Places a record in front if `num_reserved` bytes are left there after it, else at the end.
  void place(RecordKey& key, std::uint64_t num_reserved = 0);

  /// The same for an object, with the blob directly behind it if one is given. Offsets have the order of the
  /// calls, in which merging takes objects: behind one that had no room in front all go to the end.
  void place_object(RecordKey& key, RecordKey* blob, std::uint64_t num_reserved);

  /// Gives the room in front back if nothing is behind it: the file ends with the small records.
  void drop_room_before_nothing();

  /// Returns the key of a blob that fills what is left of the room in front, if anything is.
  std::optional<RecordKey> close_front();

  /// First byte behind all records.
  std::uint64_t end() const { return end_; }

 private:
  bool fits_in_front(std::uint64_t size) const;
  void put_in_front(RecordKey& key);

  std::uint64_t front_;  // first free byte of the room in front
  std::uint64_t data_;   // end of that room
  std::uint64_t end_;
  bool objects_have_room_ = true;
};

}  // namespace skimline::io
