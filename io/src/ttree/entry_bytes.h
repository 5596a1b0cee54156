// SPDX-License-Identifier: BSD-3-Clause
// Where the entries of a basket lie, whether or not their offsets are stored.
#pragma once

#include "ttree/basket_entries.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skimline::io {

/// Bytes of entries by their number. Valid as long as the entries.
class EntryBytes {
 public:
  explicit EntryBytes(const BasketEntries& entries)
      : offsets_(entries.offsets.empty() ? nullptr : entries.offsets.data()), size_(entries.entry_size()) {}

  std::size_t begin(std::size_t entry) const { return offsets_ == nullptr ? entry * size_ : offsets_[entry]; }
  std::size_t end(std::size_t entry) const { return begin(entry + 1); }

 private:
  const std::uint32_t* offsets_;
  std::size_t size_;
};

/// Four bytes as they are stored.
inline std::uint32_t load_big(const std::byte* stored) {
  std::uint32_t value;
  std::memcpy(&value, stored, sizeof value);
  return __builtin_bswap32(value);
}

/// Throws FormatError: an entry does not have the bytes of its values.
[[noreturn]] void throw_wrong_size(std::size_t entry);

/// Throws FormatError unless all entries have `size` bytes.
void check_equal_entries(const BasketEntries& entries, std::uint64_t size);

}  // namespace skimline::io
