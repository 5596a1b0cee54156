// SPDX-License-Identifier: BSD-3-Clause
#include "columns/joined_columns.h"

#include "skimline/io/format_error.h"

#include <cstring>
#include <limits>

namespace skimline::io {
namespace {

constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int32_t>::max();

// Lists [first, first + count) of offsets, and the elements that they hold.
EntryRange elements_of(const std::uint32_t* offsets, EntryRange lists) {
  const std::uint64_t first = offsets[lists.first];
  return {first, offsets[lists.end()] - first};
}

// Appends the ends of lists, counted from `before`; returns where the last one ends.
std::uint64_t append_ends(const std::uint32_t* offsets, EntryRange lists, std::uint64_t before,
                          std::uint32_t* ends) {
  const std::uint32_t base = offsets[lists.first];
  const std::uint64_t end = before + (offsets[lists.end()] - base);
  if (end > kMaxOffset) throw FormatError("lists with more than 2147483647 values together");
  const std::uint32_t shift = static_cast<std::uint32_t>(before) - base;
  for (std::uint64_t i = 0; i < lists.count; ++i) ends[i] = offsets[lists.first + i + 1] + shift;
  return end;
}

// What a piece has of elements at a level: entries, lists, values.
EntryRange range_at(const ColumnPiece& piece, int level) {
  EntryRange range = piece.range;
  for (int outer = 0; outer < level; ++outer) range = elements_of(piece.whole.offsets_at(outer), range);
  return range;
}

const std::byte* bytes_at(const ColumnView& view, std::uint64_t value) {
  return static_cast<const std::byte*>(view.values) + value * size_of(view.type.scalar);
}

// The offsets of all pieces at a level.
const std::uint32_t* joined_offsets(std::span<const ColumnPiece> pieces, int level, Buffer& memory) {
  if (pieces.size() == 1) {
    const EntryRange lists = range_at(pieces.front(), level);
    const std::uint32_t* offsets = pieces.front().whole.offsets_at(level) + lists.first;
    if (offsets[0] == 0) return offsets;
  }
  std::uint64_t count = 0;
  for (const ColumnPiece& piece : pieces) count += range_at(piece, level).count;
  auto* offsets = memory.reserve<std::uint32_t>(count + 1);
  offsets[0] = 0;
  std::uint64_t before = 0;
  std::uint32_t* ends = offsets + 1;
  for (const ColumnPiece& piece : pieces) {
    const EntryRange lists = range_at(piece, level);
    before = append_ends(piece.whole.offsets_at(level), lists, before, ends);
    ends += lists.count;
  }
  return offsets;
}

const void* joined_values(Type type, std::span<const ColumnPiece> pieces, Buffer& memory) {
  if (pieces.size() == 1) return bytes_at(pieces.front().whole, range_at(pieces.front(), type.depth).first);
  std::uint64_t count = 0;
  for (const ColumnPiece& piece : pieces) count += range_at(piece, type.depth).count;
  auto* values = static_cast<std::byte*>(memory.reserve_bytes(count * size_of(type.scalar)));
  std::byte* to = values;
  for (const ColumnPiece& piece : pieces) {
    const EntryRange range = range_at(piece, type.depth);
    const std::size_t size = range.count * size_of(type.scalar);
    if (size > 0) std::memcpy(to, bytes_at(piece.whole, range.first), size);
    to += size;
  }
  return values;
}

}  // namespace

ColumnView joined(Type type, std::span<const ColumnPiece> pieces, ColumnBuffer& scratch) {
  ColumnView view{type};
  for (const ColumnPiece& piece : pieces) view.length += piece.range.count;
  for (int level = 0; level < type.depth; ++level)
    view.offsets_at(level) = joined_offsets(pieces, level, scratch.offsets_at(level));
  view.values = joined_values(type, pieces, scratch.values);
  return view;
}

}  // namespace skimline::io
