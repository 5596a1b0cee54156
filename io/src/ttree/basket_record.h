// SPDX-License-Identifier: BSD-3-Clause
// Baskets of a TTree as they are written: cut from entries, compressed, with the key in front.
#pragma once

#include "storage/buffer_pool.h"
#include "ttree/tree_entries.h"

#include "skimline/io/compression.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Entries of a cluster that are in memory together.
struct HeldEntries {
  std::shared_ptr<const TreeEntries> entries;
  std::uint64_t first = 0, last = 0;
};

/// A basket that only lacks its place in the file.
struct BasketRecord {
  EntryRange entries;  ///< counted from the start of the cluster
  BufferPool::Buffer memory;
  std::size_t size = 0;           ///< key included
  std::size_t unpacked_size = 0;  ///< the same, not compressed
  std::uint64_t hash = 0;

  std::span<const std::byte> bytes() const { return {memory.get(), size}; }
  /// Writes into the key what is known in the end.
  void set_place(std::uint64_t offset, std::size_t number);
};

/// Makes baskets of one branch. Thread-safe.
class BasketSealer {
 public:
  struct Names {
    std::string branch, tree;
  };
  BasketSealer(const OutputBranch& branch, std::size_t number, Names names, CompressionSetting compression)
      : branch_(branch), number_(number), names_(std::move(names)), compression_(compression) {}

  /// Cuts baskets of at most `basket_bytes`, but with at least one entry. Throws Error for an entry that no
  /// basket can hold.
  std::vector<EntryRange> cut(std::span<const HeldEntries> cluster, std::uint64_t basket_bytes) const;

  BasketRecord seal(std::span<const HeldEntries> cluster, EntryRange range, BufferPool& pool) const;

  /// Of the record that seal() made for another branch of equal values of one size: the same under the names
  /// of this branch.
  BasketRecord adopt(const BasketSealer& other, std::span<const std::byte> record, std::uint64_t num_entries,
                     BufferPool& pool) const;

 private:
  std::size_t key_size() const;
  std::vector<std::byte> front(std::uint64_t num_entries, std::size_t payload_size,
                               std::size_t data_size) const;
  void append_offsets(std::span<const HeldEntries> cluster, EntryRange range, std::uint64_t begin,
                      std::vector<std::byte>& payload) const;

  const OutputBranch& branch_;
  std::size_t number_;
  Names names_;
  CompressionSetting compression_;
};

}  // namespace skimline::io
