// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/streamed_walk.h"

#include "root/object_streaming.h"

#include "skimline/io/format_error.h"

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

}  // namespace

// ---- what is wanted

void EntryWalk::read(const StreamedValue& value, std::span<const std::byte> entry) {
  begin(entry);
  if (value.kind == Kind::kItems)
    read_to_end(value.parts.front(), 0);
  else if (value.kind == Kind::kObject && !value.has_header)
    read_members(value, 0, 0);
  else
    read_value(value, 0, 0);
}

void EntryWalk::end_list(int level) {
  if (level == 1) output_.end_inner_list();
}

void EntryWalk::read_value(const StreamedValue& value, std::size_t next, int level) {
  switch (value.kind) {
    case Kind::kNumbers:
      return read_numbers(value, 1, level);
    case Kind::kBits:
      return read_bits(value);
    case Kind::kCounted: {
      const std::uint64_t count = take_count(value);
      read_numbers(value, count, level + 1);
      return end_list(level);
    }
    case Kind::kTriangle:
      read_triangle(value);
      return end_list(level);
    case Kind::kTagged:
      take_tag(value);
      return read_value(value.parts.front(), next, level);
    case Kind::kClones:
      return read_clones(value, next, level);
    case Kind::kString:
    case Kind::kCharacters:
      return output_.text(take_text(value));
    case Kind::kHeadedString: {
      const Frame frame = take_frame();
      output_.text(take_text(value));
      return leave(frame);
    }
    case Kind::kObject:
      return read_object(value, next, level);
    case Kind::kArray:
      read_items(value.parts.front(), value.length, next, level + 1);
      return end_list(level);
    case Kind::kList: {
      const std::uint32_t count = take_word();
      read_items(value.parts.front(), count, next, level + 1);
      return end_list(level);
    }
    case Kind::kCollection:
      return read_collection(value, next, level);
    default:
      throw FormatError("member \"" + value.name + "\" cannot be read");
  }
}

void EntryWalk::read_object(const StreamedValue& object, std::size_t next, int level) {
  const Frame frame = enter_object(object);
  read_members(object, next, level);
  if (frame.has_end) return leave(frame);
  for (std::size_t i = path_[next] + 1; i < object.parts.size(); ++i) skip(object.parts[i]);
}

void EntryWalk::read_members(const StreamedValue& object, std::size_t next, int level) {
  const std::uint32_t wanted = path_[next];
  for (std::uint32_t i = 0; i < wanted; ++i) skip(object.parts[i]);
  read_value(object.parts[wanted], next + 1, level);
}

// `count` elements, each of which is a number or an array of them.
void EntryWalk::read_numbers(const StreamedValue& numbers, std::uint64_t count, int level) {
  const std::byte* stored = take(count, item_bytes(numbers));
  if (numbers.kind == Kind::kNumbers && count == 1) keep(numbers, stored);
  const int depth = level + static_cast<int>(numbers.dimensions.size());
  if (numbers.dimensions.empty() || depth < 2)
    return output_.numbers(numbers.number, stored, count * numbers.length);
  // Lists in a list: the arrays themselves, or their rows.
  const std::uint64_t size = numbers.dimensions.back();
  for (std::uint64_t i = 0; i < count * (numbers.length / size); ++i) {
    output_.numbers(numbers.number, stored + i * size * numbers.number.stored_size(), size);
    output_.end_inner_list();
  }
}

void EntryWalk::read_bits(const StreamedValue& bits) {
  const std::byte* stored = take(4);
  output_.numbers(bits.number, stored, 1);
  if ((load_big(stored) & kIsReferenced) != 0) take(2);
}

// All elements of the matrix, row by row.
void EntryWalk::read_triangle(const StreamedValue& triangle) {
  const std::uint64_t rows = take_rows(triangle);
  const std::size_t size = item_bytes(triangle);
  const std::byte* stored = take(rows * (rows + 1) / 2, size);
  const auto element = [&](std::uint64_t row, std::uint64_t column) {
    const std::uint64_t first = row * rows - row * (row + 1) / 2;  // as if what is missing were there
    return stored + (first + column) * size;
  };
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t column = 0; column < row; ++column)
      output_.numbers(triangle.number, element(column, row), 1);
    output_.numbers(triangle.number, element(row, row), rows - row);
  }
}

void EntryWalk::read_clones(const StreamedValue& clones, std::size_t next, int level) {
  const ClonesHead head = take_clones_head(clones);
  const StreamedValue& item = clones.parts.front();
  if (head.is_member_wise) {
    if (head.count > 0) read_columns(item, head.count, next, {level + 1, head.frame.has_end});
  } else {
    for (std::uint64_t i = 0; i < head.count; ++i) {
      enter_clone();
      read_value(item, next, level + 1);
    }
  }
  end_list(level);
  leave(head.frame);
}

void EntryWalk::read_items(const StreamedValue& item, std::uint64_t count, std::size_t next, int level) {
  if (item.kind == Kind::kNumbers) return read_numbers(item, count, level);
  for (std::uint64_t i = 0; i < count; ++i) read_value(item, next, level);
}

void EntryWalk::read_to_end(const StreamedValue& item, std::size_t next) {
  if (item.kind == Kind::kNumbers) {
    if (remaining() % item_bytes(item) != 0) throw FormatError("it has not the bytes of its values");
    return read_numbers(item, remaining() / item_bytes(item), 1);
  }
  if (remaining() == 0) return;
  if (item.kind == Kind::kHeadedString || item.kind == Kind::kCollection)
    return read_bodies(item, {}, next, 1);
  while (remaining() > 0) read_value(item, next, 1);
}

// ---- collections

void EntryWalk::read_collection(const StreamedValue& collection, std::size_t next, int level) {
  const Frame frame = take_frame();
  const bool is_member_wise = (frame.version & kMemberWiseBit) != 0;
  if (is_member_wise) enter_columns(collection);
  read_body(collection, {is_member_wise, frame.has_end}, next, level);
  leave(frame);
}

// One list, behind the header.
void EntryWalk::read_body(const StreamedValue& collection, Body body, std::size_t next, int level) {
  const std::uint32_t count = take_word();
  if (!body.is_member_wise)
    read_items(collection.parts.back(), count, next, level + 1);
  else if (count > 0)
    read_columns(collection.parts.front(), count, next, {level + 1, body.is_last});
  end_list(level);
}

// Several strings or lists behind one header: `count` of them, or as many as there are.
void EntryWalk::read_bodies(const StreamedValue& value, std::optional<std::uint64_t> count, std::size_t next,
                            int level) {
  const Frame frame = take_frame();
  if (!count && !frame.has_end) throw FormatError("a collection without a byte count");
  const bool is_member_wise = (frame.version & kMemberWiseBit) != 0;
  if (is_member_wise) enter_columns(value);
  for (std::uint64_t i = 0; count ? i < *count : at() < frame.end; ++i) {
    if (value.kind == Kind::kHeadedString)
      output_.text(take_text(value));
    else
      read_body(value, {is_member_wise, false}, next, level);
  }
  leave(frame);
}

// The members of `count` objects, one member after the other.
void EntryWalk::read_columns(const StreamedValue& item, std::uint64_t count, std::size_t next,
                             Columns columns) {
  const std::uint32_t wanted = path_[next];
  for (std::uint32_t i = 0; i < wanted; ++i) skip_column(item.parts[i], count);
  read_column(item.parts[wanted], count, next + 1, columns);
  if (columns.is_last) return;
  for (std::size_t i = std::size_t{wanted} + 1; i < item.parts.size(); ++i) skip_column(item.parts[i], count);
}

void EntryWalk::read_column(const StreamedValue& member, std::uint64_t count, std::size_t next,
                            Columns columns) {
  check_column(member);
  if (member.is_base && member.kind == Kind::kObject) return read_columns(member, count, next, columns);
  if (member.kind == Kind::kHeadedString || member.kind == Kind::kCollection)
    return read_bodies(member, count, next, columns.level);
  read_items(member, count, next, columns.level);
}

}  // namespace skimline::io
