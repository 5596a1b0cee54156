// SPDX-License-Identifier: BSD-3-Clause
// Reads baskets of one tree, and names them in errors.
#pragma once

#include "rntuple/page_fetcher.h"
#include "root/checksum_file.h"
#include "storage/buffer_pool.h"
#include "storage/byte_ranges.h"
#include "ttree/shared_basket.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// A basket, by its branch and its number in it.
struct BasketNumber {
  std::uint32_t branch = 0;
  std::size_t number = 0;
};

/// A basket that the holder has to fetch.
struct BasketClaim {
  BasketNumber which;
  std::shared_ptr<SharedBasket> target;
};

struct BasketFetcher {
  const InputFile& file;
  const TreeDescriptor& tree;
  std::uint64_t coalesce_gap;
  BufferPool& pool;
  FetchCounts& counts;
  bool requires_checksums = false;
  const ChecksumFile* checksums = nullptr;  ///< beside the file; null if there are none
  ReaderThreads* readers = nullptr;         ///< that wait for slow storage; null if it is fast

  const TreeBasket& basket(BasketNumber which) const {
    return tree.branch_data[which.branch].baskets[which.number];
  }

  /// Reads the record of every claimed basket, or fails those that are left and throws FileError.
  void fetch(std::vector<BasketClaim> claims) const;
  /// Waits for a basket as SharedBasket::wait_until_fetched() does, and counts the time.
  void wait_for(const SharedBasket& basket) const;
  /// The baskets that are worth one read together; those inside the tree are provided at once.
  std::vector<std::vector<BasketClaim>> groups(std::vector<BasketClaim> claims) const;
  /// Reads baskets with one read, or fails them and returns why.
  std::exception_ptr fetch_or_fail(std::span<const BasketClaim> together) const noexcept;

  /// Reads one record, for the caller alone; it is valid as long as `memory`.
  std::span<const std::byte> read(BasketNumber which, BufferPool::Buffer& memory) const;

  /// Compares a record with its checksum beside the file, if there are such. Throws FormatError.
  void verify(BasketNumber which, std::span<const std::byte> record) const;

  /// Whether a basket is verified that was unpacked without a fault. Throws FileError if it is not, and must
  /// be.
  bool is_verified(BasketNumber which, const UnpackedBasket& unpacked) const;

  /// An error about the content of a basket, or that the file changed, which explains it.
  FileError error(BasketNumber which, const std::string& problem) const;

 private:
  std::uint64_t gap() const { return gap_worth_reading(file.cost(), coalesce_gap); }
  FileError located(BasketNumber which, const std::string& problem, FileFault fault) const;
  std::span<const std::byte> embedded(const TreeBasket& basket) const;
  std::vector<ByteRange> ranges_of(std::span<const BasketClaim> claims) const;
  void fetch_together(std::span<const BasketClaim> claims) const;
};

}  // namespace skimline::io
