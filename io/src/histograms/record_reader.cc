// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/record_reader.h"

#include "skimline/io/compression.h"
#include "skimline/io/exact_sums_record.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <numeric>

namespace skimline::io {
namespace {

constexpr std::uint64_t kMaxGap = 64 * 1024;
constexpr std::uint64_t kMaxBlock = 4 * 1024 * 1024;

// Exact sums are usually as large as the histogram, and follow it at once.
std::uint64_t probable_end(const MergeInput& input, const HistogramRecord& record) {
  if (!input.has_exact_sums) return record.end();
  if (record.is_sealed) return record.end() + record.room;
  return record.end() + std::min<std::uint64_t>(record.room, std::uint64_t{8} * record.record_size + kMaxGap);
}

}  // namespace

void RecordReader::read(const MergeInput& input, const std::vector<const HistogramRecord*>& records,
                        const std::function<void(std::size_t, const RecordBytes&)>& visit) {
  order_.resize(records.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t left, std::size_t right) {
    return records[left]->offset < records[right]->offset;
  });
  for (std::size_t first = 0; first < order_.size();) {
    const std::uint64_t start = records[order_[first]]->offset;
    std::uint64_t end = probable_end(input, *records[order_[first]]);
    std::size_t last = first + 1;
    for (; last < order_.size(); ++last) {
      const HistogramRecord& next = *records[order_[last]];
      const std::uint64_t next_end = std::max(end, probable_end(input, next));
      if (next.offset > end + kMaxGap || next_end - start > kMaxBlock) break;
      end = next_end;
    }
    block_.resize(static_cast<std::size_t>(end - start));
    input.file->read(start, block_);
    for (; first < last; ++first) visit(order_[first], bytes_of(input, *records[order_[first]], start));
  }
}

RecordBytes RecordReader::bytes_of(const MergeInput& input, const HistogramRecord& record,
                                   std::uint64_t start) {
  const std::span<const std::byte> block = block_;
  const auto begin = static_cast<std::size_t>(record.offset - start);
  RecordBytes bytes;
  bytes.record = block.subspan(begin, record.record_size);
  bytes.stored = bytes.record.subspan(record.key_size);
  if (input.processes.matters()) bytes.process_offset = input.processes.of(process_offset(bytes.record));
  if (!input.has_exact_sums) return bytes;
  const std::span<const std::byte> behind = block.subspan(begin + record.record_size);
  const std::uint64_t size = exact_sums_record_size(behind);
  if (size == 0 || size > record.room) return bytes;
  if (size <= behind.size()) {
    bytes.sums = behind.first(static_cast<std::size_t>(size));
  } else {
    sums_.resize(static_cast<std::size_t>(size));
    input.file->read(record.end(), sums_);
    bytes.sums = sums_;
  }
  return bytes;
}

void decompress_object(std::span<const std::byte> stored, std::uint32_t object_size,
                       std::vector<std::byte>& object) {
  if (object_size > stored.size() * kMaxExpansion) throw FormatError("has an impossible size");
  object.resize(object_size);
  if (stored.size() >= object_size)
    std::copy_n(stored.begin(), object_size, object.begin());
  else
    decompress_block(stored, object);
}

}  // namespace skimline::io
