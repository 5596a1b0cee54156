// SPDX-License-Identifier: BSD-3-Clause
// Parts of a file, and which are worth one read together.
#pragma once

#include "skimline/io/remote_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace skimline::io {

/// Bytes [begin, end) of a file.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Nothing yet, to be widened.
inline constexpr ByteRange kNoBytes{std::numeric_limits<std::uint64_t>::max(), 0};

inline void widen(ByteRange& range, std::uint64_t begin, std::uint64_t end) {
  range = {std::min(range.begin, begin), std::max(range.end, end)};
}

/// One read is not larger, unless a single range is.
inline constexpr std::uint64_t kMaxRead = 16 * 1024 * 1024;

/// Returns the size of a gap that is read sooner than another request is answered: what storage of 100 MB/s
/// gives in the time of a request, divided among as many as are under way at once; at least `least`.
inline std::uint64_t gap_worth_reading(const ReadingCost& cost, std::uint64_t least) {
  constexpr double kBytesPerSecond = 1e8;
  constexpr std::uint64_t kLargest = 1024 * 1024;
  const auto worth = static_cast<std::uint64_t>(
      std::min(cost.least_seconds * kBytesPerSecond / static_cast<double>(cost.most_requests),
               static_cast<double>(kLargest)));
  return std::max(least, worth);
}

/// Returns how many of the first ranges, sorted by where they begin, are worth one read: those at most `gap`
/// bytes from each other, up to `most` bytes.
inline std::size_t count_together(std::span<const ByteRange> ranges, std::uint64_t gap,
                                  std::uint64_t most = kMaxRead) {
  std::uint64_t end = ranges.front().end;
  std::size_t count = 1;
  for (; count < ranges.size(); ++count) {
    const ByteRange& next = ranges[count];
    const bool is_near = next.begin <= end || next.begin - end <= gap;
    const std::uint64_t new_end = std::max(end, next.end);
    if (!is_near || new_end - ranges.front().begin > most) break;
    end = new_end;
  }
  return count;
}

/// Returns how many of the first ranges, sorted likewise, one call of InputFile::read() is for: those worth
/// one read, and of a remote file, which gives several at once, all up to kMaxRead bytes.
inline std::size_t count_of_call(std::span<const ByteRange> ranges, std::uint64_t gap, bool is_remote) {
  std::size_t count = count_together(ranges, gap);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += ranges[i].end - ranges[i].begin;
  for (; is_remote && count < ranges.size(); ++count)
    if (bytes += ranges[count].end - ranges[count].begin; bytes > kMaxRead) break;
  return count;
}

}  // namespace skimline::io
