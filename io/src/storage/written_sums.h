// SPDX-License-Identifier: BSD-3-Clause
// Sums of what is written to a file, added up while the bytes are in the cache of the core that writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace skimline::io {

/// Adler-32 (RFC 1950) of bytes that follow each other in a file; of a range that has to be read, none.
struct SummedRange {
  std::uint64_t begin = 0, size = 0;
  std::optional<std::uint32_t> sum{};

  std::uint64_t end() const { return begin + size; }
};

/// Returns the sum of bytes and of those of a range, which has a sum, behind them.
std::uint32_t combined(std::uint32_t sum, const SummedRange& next);

/// Ranges of a file that were written, in any order. Thread-safe.
class WrittenSums {
 public:
  /// Pieces that were written one after the other from `offset` on.
  void add(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces);

  /// Something else wrote to the range.
  void forget(std::uint64_t offset, std::uint64_t size);

  /// Returns ranges that cover a file of `size` bytes one after the other. What was not written, or more than
  /// once, has no sum.
  std::vector<SummedRange> ranges(std::uint64_t size) const;

 private:
  void put(const SummedRange& range);

  mutable std::mutex mutex_;
  std::vector<SummedRange> written_;
};

}  // namespace skimline::io
