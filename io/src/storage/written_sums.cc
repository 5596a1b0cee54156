// SPDX-License-Identifier: BSD-3-Clause
#include "storage/written_sums.h"

#include <algorithm>

#include <libdeflate.h>
#include <zlib.h>

namespace skimline::io {
namespace {

// What is written again has to be read, with all that has one sum with it.
constexpr std::uint64_t kLargestTogether = 4 << 20;

bool continues(const SummedRange& range, const SummedRange& before) {
  return range.sum && before.sum && range.begin == before.end() &&
         before.size + range.size <= kLargestTogether;
}

}  // namespace

std::uint32_t combined(std::uint32_t sum, const SummedRange& next) {
  return static_cast<std::uint32_t>(adler32_combine(sum, *next.sum, static_cast<z_off_t>(next.size)));
}

void WrittenSums::add(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) {
  SummedRange range{offset, 0, 1};
  for (const std::span<const std::byte> piece : pieces) {
    if (piece.empty()) continue;  // libdeflate takes a null pointer for the wish to begin anew
    range.sum = libdeflate_adler32(*range.sum, piece.data(), piece.size());
    range.size += piece.size();
  }
  put(range);
}

void WrittenSums::forget(std::uint64_t offset, std::uint64_t size) { put({offset, size}); }

void WrittenSums::put(const SummedRange& range) {
  if (range.size == 0) return;
  const std::lock_guard lock(mutex_);
  if (written_.empty() || !continues(range, written_.back())) {
    written_.push_back(range);
    return;
  }
  SummedRange& last = written_.back();
  last.sum = combined(*last.sum, range);
  last.size += range.size;
}

std::vector<SummedRange> WrittenSums::ranges(std::uint64_t size) const {
  std::vector<SummedRange> sorted;
  {
    const std::lock_guard lock(mutex_);
    sorted = written_;
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const SummedRange& left, const SummedRange& right) { return left.begin < right.begin; });
  std::vector<SummedRange> ranges;
  std::uint64_t covered = 0;
  const auto read_up_to = [&](std::uint64_t end) {
    end = std::min(end, size);
    if (end <= covered) return;
    if (!ranges.empty() && !ranges.back().sum)
      ranges.back().size += end - covered;
    else
      ranges.push_back({covered, end - covered});
    covered = end;
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const SummedRange& range = sorted[i];
    read_up_to(range.begin);
    const bool is_alone = range.begin == covered && range.end() <= size &&
                          (i + 1 == sorted.size() || range.end() <= sorted[i + 1].begin);
    if (!range.sum || !is_alone) {
      read_up_to(range.end());
      continue;
    }
    ranges.push_back(range);
    covered = range.end();
  }
  read_up_to(size);
  return ranges;
}

}  // namespace skimline::io
