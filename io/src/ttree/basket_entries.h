// SPDX-License-Identifier: BSD-3-Clause
// From the record of a basket to its entries.
#pragma once

#include "storage/buffer_pool.h"

#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace skimline::io {

/// The entries of one basket as they are stored, big-endian, decompressed. A view.
struct BasketEntries {
  std::span<const std::byte> data;
  /// Where each entry begins in `data` and where the last one ends: num_entries + 1 numbers that never
  /// decrease, from 0 to data.size(). None if all entries have the same size.
  std::span<const std::uint32_t> offsets;
  std::uint32_t num_entries = 0;

  /// Bytes of each entry, if all have the same size.
  std::size_t entry_size() const { return num_entries == 0 ? 0 : data.size() / num_entries; }
};

/// The memory behind them.
struct UnpackedBasket {
  BufferPool::Buffer data;
  BufferPool::Buffer offsets;
  BasketEntries entries;
  bool is_verified = false;  ///< whether its compression has a checksum, which was right
};

/// What stands in front of the entries.
struct BasketHeader {
  std::uint32_t record_size = 0;
  std::uint32_t object_size = 0;
  std::uint16_t key_version = 0;
  std::uint16_t process_offset = 0;  ///< what the key adds to numbers of processes
  std::uint32_t key_size = 0;
  std::uint16_t version = 0;
  std::uint32_t entry_size = 0;  ///< where no offsets are stored
  std::uint8_t features = 0;
  std::uint32_t num_entries = 0;
  std::uint32_t last = 0;  ///< where the entries end, counted from the key on
  std::uint8_t flag = 0;

  std::uint32_t data_size() const { return last - key_size; }
  /// Offsets follow from the values of the counter.
  bool has_generated_offsets() const;
  /// Slot i + 1 holds the size of entry i.
  bool has_stored_sizes() const;
  /// Both places in the key have 64 bits.
  bool has_long_key() const;
};

/// Reads what the record of a basket begins with. Throws FormatError if it is damaged.
BasketHeader read_basket_header(std::span<const std::byte> record);

/// How a basket without stored offsets has to be read.
struct EntrySizes {
  /// Bytes of one element of the counter: of branches with a counter in another branch.
  std::uint64_t bytes_per_element = 0;
  /// Entries whose offsets follow from a counter need not be told apart.
  bool may_be_unknown = false;
  /// Returns the values of the counter for the entries of the basket. Called only where offsets must be
  /// derived from them.
  std::function<std::vector<std::uint64_t>()> counts;
};

/// Decompresses and checks a basket. `record` is that of `basket`, key included. Data are never copied if
/// they are stored raw: then they are valid as long as `record`. Throws FormatError if the record is damaged
/// or is not that of so many entries. Thread-safe.
UnpackedBasket unpack_basket(const TreeBasket& basket, std::span<const std::byte> record,
                             const EntrySizes& sizes, BufferPool& pool);

}  // namespace skimline::io
