// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/streamed_walk.h"

#include "root/object_streaming.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <string>

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

// Whether a member of two versions of a class can be read alike, but for the types of its numbers.
bool are_alike(const StreamedValue& a, const StreamedValue& b) {
  if (a.kind != b.kind || a.length != b.length || a.dimensions != b.dimensions || a.has_flag != b.has_flag)
    return false;
  // The members of an object are found by their names.
  if (a.kind == Kind::kObject)
    return a.type_name == b.type_name && a.has_header == b.has_header &&
           a.is_written_whole == b.is_written_whole;
  if (a.parts.size() != b.parts.size()) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!are_alike(a.parts[i], b.parts[i])) return false;
  return true;
}

// The place of a member of the class of `object` in another version of it; the number of all if it is
// missing.
std::size_t place_called(const StreamedValue& member, const StreamedValue& object,
                         const StreamedValue& stored) {
  for (std::size_t i = 0; i < stored.parts.size(); ++i) {
    const StreamedValue& other = stored.parts[i];
    if (other.name != member.name || other.is_base != member.is_base) continue;
    if (are_alike(member, other)) return i;
    throw UnreadableLayout("member \"" + member.name + "\" of class " + object.type_name + " is " +
                           other.type_name + " in version " + std::to_string(stored.version) + " and " +
                           member.type_name + " in version " + std::to_string(object.version));
  }
  return stored.parts.size();
}

bool has_own_member(const StreamedValue& object, const std::string& name) {
  return std::any_of(object.parts.begin(), object.parts.end(),
                     [&](const StreamedValue& part) { return !part.is_base && part.name == name; });
}

// Whose members are wanted by their numbers in another version of the class around it, which may have it in
// another version, too.
bool is_base_of_several(const StreamedValue& member) {
  return member.is_base && member.kind == Kind::kObject && member.layouts != nullptr;
}

}  // namespace

// ---- what is wanted

void EntryWalk::read(const StreamedValue& value, std::span<const std::byte> entry) {
  begin(entry);
  if (value.kind == Kind::kItems)
    read_to_end(value.parts.front(), 0);
  else if (value.kind == Kind::kObject && !value.has_header)
    read_parts(value);
  else
    read_value(value, 0, 0);
}

void EntryWalk::read_parts(const StreamedValue& entry) {
  const std::size_t read = read_member(entry, entry, path_[0], 1, 0);
  if (!entry.is_walked_to_its_end) return;
  for (std::size_t i = read + 1; i < entry.parts.size(); ++i) skip(entry.parts[i]);
  if (remaining() > 0) throw FormatError("it has not the bytes of its leaves");
}

void EntryWalk::end_list(int level) {
  if (level > 0) output_.end_list(level);
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
    case Kind::kPointed: {
      const Frame frame = enter_pointed(value);
      read_value(value.parts.front(), next, level);
      return leave(frame);
    }
    case Kind::kBoxed: {
      const StreamedValue& object = value.parts.front();
      if (!object.parts.front().problem.empty()) throw UnreadableLayout(object.parts.front().problem);
      const Frame frame = enter_object(object);
      read_member(object, *frame.layout, 0, next, level);
      return leave(frame);
    }
    case Kind::kClones:
      return read_clones(value, next, level);
    case Kind::kString:
    case Kind::kCharacters:
      return output_.text(take_text(value));
    case Kind::kObject:
      return read_object(value, value, next, level);
    case Kind::kArray:
      return read_array(value, next, level);
    case Kind::kList: {
      const std::uint32_t count = take_word();
      read_items(value.parts.front(), count, next, level + 1);
      return end_list(level);
    }
    case Kind::kHeadedString:
    case Kind::kHeadedArray:
    case Kind::kCollection:
      return read_bodies(value, 1, next, level);
    default:
      throw FormatError("member \"" + value.name + "\" cannot be read");
  }
}

// `likely` is the version of it that is most likely stored.
void EntryWalk::read_object(const StreamedValue& object, const StreamedValue& likely, std::size_t next,
                            int level) {
  const Frame frame = enter_object(likely);
  const std::size_t read = read_member(object, *frame.layout, path_[next], next + 1, level);
  if (frame.has_end) return leave(frame);
  for (std::size_t i = read + 1; i < frame.layout->parts.size(); ++i) skip(frame.layout->parts[i]);
}

// The place in `stored`, which may be another version of the class of `object`, of the member that is at
// `number` there; the number of all if it is missing. As ROOT does, a member of a base class is taken from a
// version that has it in the class itself; `next` then counts the path through the base, too.
std::size_t EntryWalk::place_of(const StreamedValue& object, const StreamedValue& stored, std::size_t number,
                                std::size_t& next) const {
  if (number >= object.parts.size())
    throw UnreadableLayout("class " + object.type_name + " has other members in one of its versions");
  if (&object == &stored) return number;
  const StreamedValue* member = &object.parts[number];
  std::size_t used = next;
  while (member->is_base && member->kind == Kind::kObject && used < path_.size() &&
         path_[used] < member->parts.size())
    member = &member->parts[path_[used++]];
  if (used > next && !member->is_base && !has_own_member(object, member->name)) {
    const std::size_t moved = place_called(*member, object, stored);
    if (moved < stored.parts.size()) {
      next = used;
      return moved;
    }
  }
  return place_called(object.parts[number], object, stored);
}

// Returns which of the members that are stored it was.
std::size_t EntryWalk::read_member(const StreamedValue& object, const StreamedValue& stored,
                                   std::size_t number, std::size_t next, int level) {
  const std::size_t wanted = place_of(object, stored, number, next);
  for (std::size_t i = 0; i < wanted; ++i) skip(stored.parts[i]);
  if (wanted < stored.parts.size() && is_base_of_several(stored.parts[wanted]))
    read_object(object.parts[number], stored.parts[wanted], next, level);
  else if (wanted < stored.parts.size())
    read_value(stored.parts[wanted], next, level);
  else
    add_missing(object.parts[number], next, level);
  return wanted;
}

// What a member is in objects of a version without it: 0, or empty.
void EntryWalk::add_missing(const StreamedValue& value, std::size_t next, int level) {
  switch (value.kind) {
    case Kind::kNumbers:
    case Kind::kBits:
      return add_zeros(value, level);
    case Kind::kString:
    case Kind::kHeadedString:
    case Kind::kCharacters:
      return output_.text({});
    case Kind::kObject:
      return add_missing(value.parts[path_[next]], next + 1, level);
    case Kind::kBoxed:
      return add_missing(value.parts.front().parts.front(), next, level);
    case Kind::kTagged:
    case Kind::kPointed:
      return add_missing(value.parts.front(), next, level);
    case Kind::kArray:
    case Kind::kHeadedArray:
      for (std::uint64_t i = 0; i < value.length; ++i) add_missing(value.parts.front(), next, level + 1);
      return end_list(level);
    default:
      return end_list(level);
  }
}

void EntryWalk::add_zeros(const StreamedValue& numbers, int level) {
  const std::uint64_t size = size_of_arrays(numbers, level);
  if (size == 0) return output_.zeros(numbers.length);
  for (std::uint64_t i = size; i <= numbers.length; i += size) {
    output_.zeros(size);
    end_arrays(numbers, i, level);
  }
}

// Of the innermost arrays of numbers, where these are lists in lists; else 0.
std::uint64_t EntryWalk::size_of_arrays(const StreamedValue& numbers, int level) {
  const std::size_t depth = static_cast<std::size_t>(level) + numbers.dimensions.size();
  return numbers.dimensions.empty() || depth < 2 ? 0 : numbers.dimensions.back();
}

// Ends the arrays that so many numbers complete, from the innermost ones on. The entry ends the outermost
// list.
void EntryWalk::end_arrays(const StreamedValue& numbers, std::uint64_t count, int level) {
  std::uint64_t size = 1;
  for (int i = static_cast<int>(numbers.dimensions.size()) - 1; i >= 0 && level + i > 0; --i) {
    size *= numbers.dimensions[i];
    if (count % size != 0) return;
    output_.end_list(level + i);
  }
}

// `count` elements, each of which is a number or an array of them.
void EntryWalk::read_numbers(const StreamedValue& numbers, std::uint64_t count, int level) {
  const std::byte* stored = take(count, item_bytes(numbers));
  if (numbers.kind == Kind::kNumbers && count == 1) keep(numbers, stored);
  const std::uint64_t size = size_of_arrays(numbers, level);
  if (size == 0) return output_.numbers(numbers.number, stored, count * numbers.length);
  for (std::uint64_t i = size; i <= count * numbers.length; i += size) {
    output_.numbers(numbers.number, stored + (i - size) * numbers.number.stored_size(), size);
    end_arrays(numbers, i, level);
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
    if (head.count > 0) read_columns({item, *head.layout, head.count, level + 1, head.frame.has_end}, next);
  } else {
    for (std::uint64_t i = 0; i < head.count; ++i) {
      enter_clone();
      read_value(item, next, level + 1);
    }
  }
  end_list(level);
  leave(head.frame);
}

void EntryWalk::read_array(const StreamedValue& array, std::size_t next, int level) {
  read_items(array.parts.front(), array.length, next, level + 1);
  end_list(level);
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
  if (item.is_headed()) return read_bodies(item, {}, next, 1);
  while (remaining() > 0) read_value(item, next, 1);
}

// ---- what has a header

// One string, array or list, behind the header.
void EntryWalk::read_body(const StreamedValue& value, Body body, std::size_t next, int level) {
  switch (value.kind) {
    case Kind::kHeadedString:
      return output_.text(take_text(value));
    case Kind::kHeadedArray:
      return read_array_body(value, body, next, level);
    default:
      return read_list_body(value, body, next, level);
  }
}

void EntryWalk::read_array_body(const StreamedValue& array, Body body, std::size_t next, int level) {
  const StreamedValue& item = array.parts.front();
  if (!item.is_headed()) return read_array(array, next, level);
  for (std::uint64_t i = 0; i < array.length; ++i) read_body(item, {body.layout, false}, next, level + 1);
  end_list(level);
}

void EntryWalk::read_list_body(const StreamedValue& collection, Body body, std::size_t next, int level) {
  const std::uint32_t count = take_word();
  if (body.layout == nullptr) {
    const StreamedValue& item = collection.parts.back();
    if (is_pair(item) && count > 0 && !item.parts[path_[next]].problem.empty())
      throw UnreadableLayout("of the pairs of a map: " + item.parts[path_[next]].problem);
    read_items(item, count, next, level + 1);
  } else if (count > 0) {
    read_columns({collection.parts.front(), *body.layout, count, level + 1, body.is_last}, next);
  }
  end_list(level);
}

// Strings, arrays or lists behind one header: `count` of them, or as many as there are.
void EntryWalk::read_bodies(const StreamedValue& value, std::optional<std::uint64_t> count, std::size_t next,
                            int level) {
  const Frame frame = take_frame();
  if (!count && !frame.has_end) throw FormatError("a collection without a byte count");
  const bool is_member_wise = (frame.version & kMemberWiseBit) != 0;
  const StreamedValue* layout = is_member_wise ? &enter_columns(value) : nullptr;
  const Body body{layout, frame.has_end && count == 1};
  for (std::uint64_t i = 0; count ? i < *count : at() < frame.end; ++i) read_body(value, body, next, level);
  leave(frame);
}

// The members of objects, one member after the other.
void EntryWalk::read_columns(const Columns& columns, std::size_t next) {
  const std::vector<StreamedValue>& stored = columns.stored.parts;
  const std::size_t number = path_[next++];
  const std::size_t wanted = place_of(columns.item, columns.stored, number, next);
  for (std::size_t i = 0; i < wanted; ++i) skip_column(stored[i], columns.count);
  const StreamedValue& member = columns.item.parts[number];
  if (wanted < stored.size() && stored[wanted].is_in_columns())
    read_columns({member, stored[wanted], columns.count, columns.level, columns.is_last}, next);
  else if (wanted < stored.size())
    read_column(stored[wanted], columns, next);
  else
    for (std::uint64_t i = 0; i < columns.count; ++i) add_missing(member, next, columns.level);
  if (columns.is_last) return;
  for (std::size_t i = wanted + 1; i < stored.size(); ++i) skip_column(stored[i], columns.count);
}

void EntryWalk::read_column(const StreamedValue& member, const Columns& columns, std::size_t next) {
  if (member.is_headed()) return read_bodies(member, columns.count, next, columns.level);
  if (member.kind == Kind::kCounted) return read_counted_column(member, columns, next);
  keep_column(member, columns.count);
  read_items(member, columns.count, next, columns.level);
}

void EntryWalk::read_counted_column(const StreamedValue& member, const Columns& columns, std::size_t next) {
  for (std::uint64_t i = 0; i < columns.count; ++i) {
    use_count_of(member, i);
    read_value(member, next, columns.level);
  }
}

}  // namespace skimline::io
