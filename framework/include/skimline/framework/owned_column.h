// SPDX-License-Identifier: BSD-3-Clause
// Columns that own their memory, for values that leave a run.
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline {

/// Bytes that can grow. Large ones grow by moving pages instead of bytes, and go back to the system at once.
/// New bytes have no defined value.
class OwnedBytes {
 public:
  OwnedBytes() = default;
  OwnedBytes(OwnedBytes&& other) noexcept;
  OwnedBytes& operator=(OwnedBytes&& other) noexcept;
  ~OwnedBytes();

  /// The bytes, aligned for any scalar; null if nothing was ever held.
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Throws std::bad_alloc as all that may grow; what is held then stays as it is.
  void resize(std::size_t size);
  /// Grows the memory, at least half as much again if at all.
  void reserve(std::size_t size);
  bool has_room(std::size_t more) const { return more <= capacity_ - size_; }
  /// Gives back what lies behind the size.
  void shrink();

  /// The bytes as values of T; what is left over at the end does not count.
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_), size_ / sizeof(T)};
  }

 private:
  void reallocate(std::size_t capacity);
  void free();

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// The values of one column for consecutive entries, in memory of its own.
///
/// `offsets` has one level for each level of lists, and strings are one more, of bytes: the list number i of
/// a level is what is numbered offsets[i] .. offsets[i + 1] in the next one, or among the values. Each level
/// begins with 0 and has one offset (std::int64_t) more than lists. Values are as in ColumnView.
struct OwnedColumn {
  Type type;
  std::vector<OwnedBytes> offsets;
  OwnedBytes values;

  OwnedColumn() = default;
  /// A column of no entries.
  explicit OwnedColumn(Type type);

  /// Entries: lists of the first level, or values of a flat column.
  std::uint64_t num_entries() const;
  /// Bytes of one value: 1 for characters of strings.
  std::size_t value_size() const;
  /// Bytes in memory of the first `count` entries.
  std::uint64_t bytes_of(std::uint64_t count) const;
  /// Returns a copy of the entries [first, first + count), which must exist.
  OwnedColumn copy(std::uint64_t first, std::uint64_t count) const;
  /// Keeps the first `count` entries and gives back the memory of all others.
  void truncate(std::uint64_t count);
};

/// Returns the number of levels of offsets that a column of a type has.
std::size_t num_offset_levels(Type type);

}  // namespace skimline
