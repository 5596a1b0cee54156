// SPDX-License-Identifier: BSD-3-Clause
// Parts of a file in requests over HTTP and in the answers, which nobody has checked yet.
#pragma once

#include "skimline/io/format_error.h"
#include "skimline/io/remote_file.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Bytes that one request asks for, and the reads that they are for.
struct RangeOfReads {
  std::uint64_t begin = 0, end = 0;
  std::vector<RangeRead> reads;
};

/// The ranges of one request.
using RequestedRanges = std::vector<RangeOfReads>;

/// Joins reads less than `gap` from each other; a long one is several ranges.
std::vector<RangeOfReads> near_together(std::span<const RangeRead> reads, std::uint64_t gap);

/// Distributes reads over requests that are to be under way at once: those near each
/// other are one range, a long one is several, and a request has up to `most_ranges` of them as long as they
/// are small together.
std::vector<RequestedRanges> plan_requests(std::span<const RangeRead> reads, std::size_t most_ranges);

/// What lies between two ranges costs less to read than a range of its own, or than a request of its own.
inline constexpr std::uint64_t kGapOfRanges = 16 * 1024, kGapOfRequests = 128 * 1024;
inline constexpr std::uint64_t kBytesOfRequest = 4 * 1024 * 1024;
inline constexpr std::size_t kMostRanges = 64;

/// "0-99,200-299", as a request says it.
std::string range_text(const RequestedRanges& ranges);

/// What "Content-Range: bytes 0-99/1234" says. The size is missing if it is "*".
struct ContentRange {
  std::uint64_t begin = 0, end = 0;
  std::optional<std::uint64_t> size;
};

/// Returns nothing for what is none.
std::optional<ContentRange> parse_content_range(std::string_view text);

/// A part of an answer.
struct AnsweredRange {
  ContentRange where;
  std::span<const std::byte> bytes;
};

/// The parts of a body of the type "multipart/byteranges; boundary=...", as `content_type` says. Throws
/// FormatError unless each is as long as it says.
std::vector<AnsweredRange> parse_multipart(std::string_view content_type, std::span<const std::byte> body);

/// Puts bytes of answers where they are wanted. Returns whether all are there.
bool distribute(const RangeOfReads& wanted, std::span<const AnsweredRange> answered);

}  // namespace skimline::io
