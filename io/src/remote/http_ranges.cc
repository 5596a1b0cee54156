// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_ranges.h"

#include "skimline/io/url.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace skimline::io {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

std::uint64_t end_of(const RangeRead& read) { return read.offset + read.bytes.size(); }

// Reads in order, those longer than a request in pieces.
std::vector<RangeRead> sorted_pieces(std::span<const RangeRead> reads) {
  std::vector<RangeRead> pieces;
  for (RangeRead read : reads) {
    while (read.bytes.size() > kBytesOfRequest + kBytesOfRequest / 2) {
      pieces.push_back({read.offset, read.bytes.first(kBytesOfRequest)});
      read = {read.offset + kBytesOfRequest, read.bytes.subspan(kBytesOfRequest)};
    }
    if (!read.bytes.empty()) pieces.push_back(read);
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const RangeRead& a, const RangeRead& b) { return a.offset < b.offset; });
  return pieces;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_text(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::string boundary_of(std::string_view content_type) {
  constexpr std::string_view kName = "boundary=";
  const std::size_t at = lower_case(content_type).find(kName);
  if (at == std::string::npos)
    throw FormatError("an answer of several parts does not say what is between them");
  std::string_view boundary = content_type.substr(at + kName.size());
  if (boundary.starts_with('"')) {
    boundary.remove_prefix(1);
    return std::string(boundary.substr(0, boundary.find('"')));
  }
  return std::string(boundary.substr(0, boundary.find_first_of("; \t")));
}

// Takes the lines about a part, up to the empty one behind them.
ContentRange take_part_headers(std::string_view& text) {
  constexpr std::string_view kName = "content-range:";
  std::optional<ContentRange> range;
  for (;;) {
    const std::size_t end = text.find(kLineEnd);
    if (end == std::string_view::npos) throw FormatError("an answer of several parts ends too early");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + kLineEnd.size());
    if (line.empty()) break;
    if (!lower_case(line).starts_with(kName)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t", kName.size()), line.size()));
    range = parse_content_range(line);
  }
  if (!range) throw FormatError("a part of an answer does not say where it lies in the file");
  return *range;
}

}  // namespace

std::vector<RangeOfReads> near_together(std::span<const RangeRead> reads, std::uint64_t gap) {
  std::vector<RangeOfReads> ranges;
  for (const RangeRead& read : sorted_pieces(reads)) {
    const bool joins = !ranges.empty() && read.offset <= ranges.back().end + gap &&
                       end_of(read) - ranges.back().begin <= kBytesOfRequest + kBytesOfRequest / 2;
    if (!joins) ranges.push_back({read.offset, read.offset, {}});
    ranges.back().end = std::max(ranges.back().end, end_of(read));
    ranges.back().reads.push_back(read);
  }
  return ranges;
}

std::vector<RequestedRanges> plan_requests(std::span<const RangeRead> reads, std::size_t most_ranges) {
  std::vector<RequestedRanges> requests;
  std::uint64_t bytes = 0;
  for (RangeOfReads& range : near_together(reads, most_ranges > 1 ? kGapOfRanges : kGapOfRequests)) {
    const std::uint64_t size = range.end - range.begin;
    if (requests.empty() || requests.back().size() >= most_ranges || bytes + size > kBytesOfRequest) {
      requests.emplace_back();
      bytes = 0;
    }
    bytes += size;
    requests.back().push_back(std::move(range));
  }
  return requests;
}

std::string range_text(const RequestedRanges& ranges) {
  std::string text;
  for (const RangeOfReads& range : ranges)
    text += (text.empty() ? "" : ",") + std::to_string(range.begin) + "-" + std::to_string(range.end - 1);
  return text;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  if (!take_text(text, "bytes ")) return std::nullopt;
  ContentRange range;
  if (take_text(text, "*/")) {
    range.size = take_number(text);
    return range.size && text.empty() ? std::optional(range) : std::nullopt;
  }
  const std::optional<std::uint64_t> first = take_number(text);
  if (!first || !take_text(text, "-")) return std::nullopt;
  const std::optional<std::uint64_t> last = take_number(text);
  if (!last || *last < *first || *last == UINT64_MAX || !take_text(text, "/")) return std::nullopt;
  range.begin = *first;
  range.end = *last + 1;
  if (text != "*") {
    range.size = take_number(text);
    if (!range.size || !text.empty() || range.end > *range.size) return std::nullopt;
  }
  return range;
}

std::vector<AnsweredRange> parse_multipart(std::string_view content_type, std::span<const std::byte> body) {
  const std::string between = "--" + boundary_of(content_type);
  std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
  std::vector<AnsweredRange> parts;
  for (;;) {
    const std::size_t begin = text.find(between);
    if (begin == std::string_view::npos) throw FormatError("an answer of several parts ends too early");
    text.remove_prefix(begin + between.size());
    if (text.starts_with("--")) return parts;
    if (!take_text(text, kLineEnd)) throw FormatError("an answer of several parts has bytes between them");
    const ContentRange where = take_part_headers(text);
    const std::uint64_t size = where.end - where.begin;
    if (size > text.size()) throw FormatError("a part of an answer is shorter than it says");
    parts.push_back({where, std::as_bytes(std::span(text.data(), static_cast<std::size_t>(size)))});
    text.remove_prefix(static_cast<std::size_t>(size));
    if (!text.starts_with(kLineEnd)) throw FormatError("a part of an answer is longer than it says");
    text.remove_prefix(kLineEnd.size());
  }
}

bool distribute(const RangeOfReads& wanted, std::span<const AnsweredRange> answered) {
  const auto found = std::find_if(answered.begin(), answered.end(), [&](const AnsweredRange& part) {
    return part.where.begin <= wanted.begin && wanted.end <= part.where.begin + part.bytes.size();
  });
  if (found == answered.end()) return false;
  for (const RangeRead& read : wanted.reads)
    std::memcpy(read.bytes.data(), found->bytes.data() + (read.offset - found->where.begin),
                read.bytes.size());
  return true;
}

}  // namespace skimline::io
