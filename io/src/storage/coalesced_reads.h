// SPDX-License-Identifier: BSD-3-Clause
// Parts of a file in memory, near ones read together.
#pragma once

#include "storage/buffer_pool.h"
#include "storage/byte_ranges.h"

#include "skimline/io/remote_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace skimline::io {

/// Memory for ranges, and the reads that fill it.
class CoalescedReads {
 public:
  using Memory = std::shared_ptr<const BufferPool::Buffer>;

  /// `ranges` are sorted by where they begin.
  CoalescedReads(std::span<const ByteRange> ranges, std::uint64_t gap, BufferPool& pool)
      : ranges_(ranges.begin(), ranges.end()) {
    while (read_of_.size() < ranges.size()) {
      const std::span<const ByteRange> left = ranges.subspan(read_of_.size());
      const std::size_t count = count_together(left, gap);
      std::uint64_t end = 0;
      for (const ByteRange& range : left.first(count)) end = std::max(end, range.end);
      const std::uint64_t size = end - left.front().begin;
      memory_.push_back(std::make_shared<const BufferPool::Buffer>(pool.take(size)));
      read_of_.insert(read_of_.end(), count, reads_.size());
      reads_.push_back({left.front().begin, {memory_.back()->get(), size}});
    }
  }

  /// What is to be read.
  const std::vector<RangeRead>& reads() const { return reads_; }
  /// The bytes of a range, by its number, and what keeps them.
  std::span<const std::byte> bytes(std::size_t range) const {
    const RangeRead& read = reads_[read_of_[range]];
    const ByteRange& here = ranges_[range];
    return read.bytes.subspan(here.begin - read.offset, here.end - here.begin);
  }
  const Memory& memory(std::size_t range) const { return memory_[read_of_[range]]; }

 private:
  std::vector<ByteRange> ranges_;
  std::vector<std::size_t> read_of_;  // by range
  std::vector<RangeRead> reads_;
  std::vector<Memory> memory_;  // by read
};

}  // namespace skimline::io
