// SPDX-License-Identifier: BSD-3-Clause
#include "streamed_walk.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <string>

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

constexpr std::uint32_t kByteCountBit = 0x40000000;
constexpr std::uint16_t kMemberWiseBit = 0x4000;
constexpr std::uint32_t kIsReferenced = 0x10;
constexpr std::uint32_t kNewClassTag = 0xFFFFFFFF;

std::size_t item_bytes(const StreamedValue& numbers) { return numbers.length * numbers.number.stored_size(); }

// Each object has its own count, which would have to be kept.
void check_column(const StreamedValue& member) {
  if (member.kind == Kind::kCounted)
    throw FormatError("arrays \"" + member.name + "\" of objects that are stored member by member");
}

}  // namespace

// ---- bytes

const std::byte* EntryWalk::take(std::uint64_t size) {
  if (size > remaining()) throw FormatError("it ends too early");
  const std::byte* taken = at_;
  at_ += size;
  return taken;
}

const std::byte* EntryWalk::take(std::uint64_t count, std::uint64_t size) {
  if (size != 0 && count > remaining() / size) throw FormatError("it ends too early");
  return take(count * size);
}

std::uint32_t EntryWalk::take_word() { return load_big(take(4)); }

std::uint16_t EntryWalk::take_half_word() {
  const std::byte* bytes = take(2);
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8 |
                                    std::to_integer<unsigned>(bytes[1]));
}

std::string_view EntryWalk::take_text(const StreamedValue& value) {
  if (value.may_be_missing && at_ == end_) return {};
  std::uint32_t size = 0;
  if (value.kind == Kind::kCharacters) {
    size = take_word();
  } else {
    size = std::to_integer<std::uint32_t>(*take(1));
    if (size == 255) size = take_word();
  }
  return {reinterpret_cast<const char*>(take(size)), size};
}

EntryWalk::Frame EntryWalk::take_frame() {
  Frame frame;
  const std::uint32_t word = take_word();
  frame.has_end = (word & kByteCountBit) != 0;
  if (frame.has_end) {
    const std::uint32_t size = word & ~kByteCountBit;
    if (size > remaining()) throw FormatError("it ends too early");
    frame.end = at_ + size;
    frame.version = take_half_word();
  } else {
    at_ -= 2;
    frame.version = static_cast<std::uint16_t>(word >> 16);
  }
  return frame;
}

void EntryWalk::leave(const Frame& frame) {
  if (!frame.has_end) return;
  if (at_ > frame.end) throw FormatError("an object is longer than it says");
  at_ = frame.end;
}

// `version` was just read; 0 says that a checksum follows.
void EntryWalk::check_class(const StreamedValue& object, std::uint16_t version) {
  const std::uint32_t checksum = version == 0 ? take_word() : 0;
  if (object.version < 0) return;
  const bool is_same = version == 0 ? checksum == object.checksum : version == object.version;
  if (!is_same)
    throw FormatError("class " + object.type_name + " is stored in version " + std::to_string(version) +
                      ", not in version " + std::to_string(object.version));
}

EntryWalk::Frame EntryWalk::enter_object(const StreamedValue& object) {
  if (!object.has_header) return {};
  const Frame frame = take_frame();
  check_class(object, frame.version);
  return frame;
}

std::uint64_t EntryWalk::take_count(const StreamedValue& counted) {
  if (counted.has_flag && *take(1) == std::byte{0}) return 0;
  return slots_[static_cast<std::size_t>(counted.slot)];
}

void EntryWalk::keep(const StreamedValue& number, const std::byte* stored) {
  if (number.slot < 0) return;
  visit_scalar(number.number.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T count{};
    decode_numbers(number.number, stored, 1, &count);
    if (!(count >= T{})) throw FormatError("an array has a negative number of elements");
    slots_[static_cast<std::size_t>(number.slot)] = static_cast<std::uint64_t>(count);
  });
}

// ---- what is not wanted

void EntryWalk::skip(const StreamedValue& value) {
  switch (value.kind) {
    case Kind::kNumbers:
      return keep(value, take(item_bytes(value)));
    case Kind::kBits:
      if ((take_word() & kIsReferenced) != 0) take(2);
      return;
    case Kind::kCounted: {
      const std::uint64_t count = take_count(value);
      take(count, item_bytes(value));
      return;
    }
    case Kind::kString:
    case Kind::kCharacters:
      take_text(value);
      return;
    case Kind::kObjectBase:
      take(2 + 4);  // version, unique id
      if ((take_word() & kIsReferenced) != 0) take(2);
      return;
    case Kind::kObject: {
      const Frame frame = enter_object(value);
      if (!frame.has_end)
        for (const StreamedValue& part : value.parts) skip(part);
      return leave(frame);
    }
    case Kind::kArray:
      return skip_items(value.parts.front(), value.length);
    case Kind::kList:
      return skip_items(value.parts.front(), take_word());
    case Kind::kHeadedString:
    case Kind::kCollection:
    case Kind::kOpaque: {
      const Frame frame = take_frame();
      if (!frame.has_end) throw FormatError("an object without a byte count");
      return leave(frame);
    }
    case Kind::kPointer:
      return skip_pointer();
    default:
      throw FormatError("the size of member \"" + value.name + "\" is not known");
  }
}

void EntryWalk::skip_pointer() {
  const std::uint32_t word = take_word();
  if (word == kNewClassTag) throw FormatError("an object without a byte count");
  if ((word & kByteCountBit) != 0) take(word & ~kByteCountBit);
}

void EntryWalk::skip_items(const StreamedValue& item, std::uint64_t count) {
  if (item.kind == Kind::kNumbers) {
    take(count, item_bytes(item));
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) skip(item);
}

// A member of `count` objects that are stored member by member.
void EntryWalk::skip_column(const StreamedValue& member, std::uint64_t count) {
  check_column(member);
  if (member.is_base && member.kind == Kind::kObject) {
    for (const StreamedValue& part : member.parts) skip_column(part, count);
  } else if (member.kind == Kind::kHeadedString || member.kind == Kind::kCollection) {
    skip(member);  // one header for all
  } else {
    skip_items(member, count);
  }
}

// ---- what is wanted

void EntryWalk::read(const StreamedValue& value, std::span<const std::byte> entry) {
  at_ = entry.data();
  end_ = at_ + entry.size();
  if (value.kind == Kind::kItems)
    read_to_end(value.parts.front(), 0);
  else if (value.kind == Kind::kObject && !value.has_header)
    read_members(value, 0, 0);
  else
    read_value(value, 0, 0);
}

void EntryWalk::check(const StreamedValue& value, std::span<const std::byte> entry) {
  if (value.kind != Kind::kObject) return;
  for (const StreamedValue& part : value.parts)
    if (part.kind == Kind::kUnknown) return;
  at_ = entry.data();
  end_ = at_ + entry.size();
  enter_object(value);
  for (const StreamedValue& part : value.parts) skip(part);
  if (at_ != end_) throw FormatError("its bytes are not those of the members of " + value.type_name);
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
  if (count == 1) keep(numbers, stored);
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

void EntryWalk::enter_columns(const StreamedValue& value) {
  if (value.kind != Kind::kCollection || value.parts.front().kind != Kind::kObject)
    throw FormatError("a collection has members that its items do not have");
  check_class(value.parts.front(), take_half_word());
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
  for (std::uint64_t i = 0; count ? i < *count : at_ < frame.end; ++i) {
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
