// SPDX-License-Identifier: BSD-3-Clause
// Baskets that go from one file to another.
#pragma once

#include "root/process_ids.h"
#include "storage/buffer_pool.h"

#include "skimline/io/compression.h"
#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace skimline::io {

/// A basket of an input.
struct BasketOfBranch {
  const TreeBasket& basket;
  const TreeBranch& branch;
  int compression = 0;             ///< of the branch
  const std::string& branch_name;  ///< as it is called in the output
  const std::string& tree;         ///< its name
  const ProcessShift& processes;
};

struct CarryOptions {
  bool verifies = true;  ///< decompress all baskets and compare what they say of themselves
  /// If given, baskets of branches that are compressed otherwise are compressed anew.
  std::optional<CompressionSetting> compression;
  bool cuts = false;  ///< of a basket with more entries than the branch says, take the first ones
};

/// A record that only lacks its place in the file.
struct CarriedBasket {
  BufferPool::Buffer memory;
  std::size_t size = 0;           ///< key included
  std::size_t unpacked_size = 0;  ///< the same, not compressed
  bool has_long_key = false;
  bool is_verified = false;  ///< by a checksum of its compression
  bool is_rewritten = false;
  std::uint64_t hash = 0;

  std::span<const std::byte> bytes() const { return {memory.get(), size}; }
  /// Writes the place into the key. Throws FormatError for a place that the key has no room for.
  void set_place(std::uint64_t offset, std::size_t number);
};

/// Makes the record of an output out of that of an input, `record`, key included: the same payload behind a
/// key with a fixed date. What lies in the object of the tree, or is to be compressed otherwise, gets a
/// record of its own. Throws FormatError if the basket is damaged, and if its key has no room for what must
/// be added to numbers of processes. Thread-safe.
CarriedBasket carry(const BasketOfBranch& basket, std::span<const std::byte> record,
                    const CarryOptions& options, BufferPool& pool);

}  // namespace skimline::io
