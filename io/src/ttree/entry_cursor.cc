// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/entry_cursor.h"

#include "columns/type_name.h"
#include "root/object_streaming.h"
#include "ttree/entry_bytes.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace skimline::io {
namespace {

using Kind = StreamedValue::Kind;

// Behind it, nobody knows where what lies.
class UnknownEnd : public UnreadableLayout {
 public:
  using UnreadableLayout::UnreadableLayout;
};

// "Track" and 2 of "Track;2".
std::pair<std::string_view, int> class_and_version(std::string_view text) {
  const std::size_t end = text.rfind(';');
  if (end == std::string_view::npos) return {text, -1};
  int version = -1;
  std::from_chars(text.data() + end + 1, text.data() + text.size(), version);
  return {text.substr(0, end), version};
}

// Whose objects may be stored member by member, behind the header of `value`; nullptr if there are none.
const StreamedValue* class_behind_header(const StreamedValue& value) {
  const StreamedValue& list = value.kind == Kind::kHeadedArray ? value.parts.front() : value;
  const bool has_class = list.kind == Kind::kCollection && list.parts.front().kind == Kind::kObject;
  return has_class ? &list.parts.front() : nullptr;
}

// Why some of it cannot be read. Of a collection, its first part says what the items are.
std::string problem_of(const StreamedValue& value) {
  if (!value.problem.empty()) return value.problem;
  for (const StreamedValue& part : value.parts) {
    std::string problem = problem_of(part);
    if (!problem.empty() || value.kind == Kind::kCollection) return problem;
  }
  return {};
}

std::uint64_t decoded_count(const StoredNumber& number, const std::byte* stored) {
  return visit_scalar(number.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T count{};
    decode_numbers(number, stored, 1, &count);
    if (!(count >= T{})) throw FormatError("an array has a negative number of elements");
    return static_cast<std::uint64_t>(+count);
  });
}

}  // namespace

// ---- bytes

const std::byte* EntryCursor::take(std::uint64_t size) {
  if (size > remaining()) throw FormatError("it ends too early");
  const std::byte* taken = at_;
  at_ += size;
  return taken;
}

const std::byte* EntryCursor::take(std::uint64_t count, std::uint64_t size) {
  if (size != 0 && count > remaining() / size) throw FormatError("it ends too early");
  return take(count * size);
}

std::uint32_t EntryCursor::take_word() { return load_big(take(4)); }

std::uint16_t EntryCursor::take_half_word() {
  const std::byte* bytes = take(2);
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8 |
                                    std::to_integer<unsigned>(bytes[1]));
}

std::string_view EntryCursor::take_text(const StreamedValue& value) {
  if (value.may_be_missing && remaining() == value.bytes_behind) return {};
  std::uint32_t size = 0;
  if (value.kind == Kind::kCharacters) {
    size = take_word();
  } else {
    size = std::to_integer<std::uint32_t>(*take(1));
    if (size == 255) size = take_word();
  }
  return {reinterpret_cast<const char*>(take(size)), size};
}

EntryCursor::Frame EntryCursor::take_frame() {
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

void EntryCursor::leave_at_end(const Frame& frame) {
  if (frame.has_end && at_ != frame.end) throw FormatError("an object has not the bytes of its members");
}

void EntryCursor::leave(const Frame& frame) {
  if (!frame.has_end) return;
  if (at_ > frame.end) throw FormatError("an object is longer than it says");
  at_ = frame.end;
}

// `version` was just read; 0 says that a checksum follows.
const StreamedValue& EntryCursor::stored_layout(const StreamedValue& object, std::uint16_t version,
                                                bool is_in_columns) {
  const std::uint32_t checksum = version == 0 ? take_word() : 0;
  const auto is_it = [&](const StreamedValue& each) {
    return version == 0 ? checksum == each.checksum : version == each.version;
  };
  // Of a class that changed and kept its version, objects that say the version alone may be either.
  const auto found = [&](const StreamedValue& layout) -> const StreamedValue& {
    if (version != 0 && (is_in_columns ? layout.has_rival_in_columns : layout.has_rival))
      throw UnreadableLayout("class " + object.type_name + " is described in several ways in version " +
                             std::to_string(version));
    return layout;
  };
  if (object.version < 0) return object;
  if (is_it(object)) return found(object);
  for (std::size_t i = 0; object.layouts != nullptr && i < object.layouts->size(); ++i)
    if (const StreamedValue& other = (*object.layouts)[i]; is_it(other)) return found(other);
  throw FormatError("class " + object.type_name + " is stored in version " + std::to_string(version) +
                    ", not in version " + std::to_string(object.version));
}

EntryCursor::Frame EntryCursor::enter_object(const StreamedValue& object) {
  Frame frame;
  frame.layout = &object;
  if (!object.has_header) return frame;
  if (is_examining_) met_.insert(&object);
  frame = take_frame();
  frame.layout = &stored_layout(object, frame.version);
  if (frame.layout != &object && object.has_slots)
    throw UnreadableLayout("numbers of elements in version " + std::to_string(frame.version) + " of class " +
                           object.type_name);
  return frame;
}

std::uint64_t EntryCursor::take_count(const StreamedValue& counted) {
  if (counted.has_flag && *take(1) == std::byte{0}) return 0;
  return slots_[static_cast<std::size_t>(counted.slot)];
}

// All of it must be there: the square has at most twice as many elements as the entry.
std::uint64_t EntryCursor::take_rows(const StreamedValue& triangle) const {
  const std::uint64_t rows = slots_[static_cast<std::size_t>(triangle.slot)];
  const std::uint64_t most = remaining() / triangle.number.stored_size();
  if (rows > most || rows * (rows + 1) / 2 > most) throw FormatError("it ends too early");
  return rows;
}

void EntryCursor::take_tag(const StreamedValue& tagged) {
  const auto size = std::to_integer<std::size_t>(*take(1));
  const std::byte* name = take(size + 1);
  const std::string_view class_name(reinterpret_cast<const char*>(name), size);
  if (name[size] != std::byte{0}) throw FormatError("the name of a class without an end");
  if (class_name != tagged.type_name && parse_type_name(class_name).text() != tagged.type_name)
    throw UnreadableLayout("an object of class " + std::string(class_name) + " in a branch of " +
                           tagged.type_name);
}

// The object may be missing, or be one that stands in front.
EntryCursor::Frame EntryCursor::enter_pointed(const StreamedValue& pointed) {
  const std::uint32_t word = take_word();
  if (word == 0) throw UnreadableLayout("a pointer to no object in a list of " + pointed.type_name);
  if (word == kNewClassTag || (word & kByteCountBit) == 0)
    throw UnreadableLayout("an object to which several pointers lead in a list of " + pointed.type_name);
  Frame frame;
  frame.has_end = true;
  const std::uint32_t size = word & ~kByteCountBit;
  if (size > remaining()) throw FormatError("it ends too early");
  frame.end = at_ + size;
  check_tag(pointed);
  return frame;
}

// The name of the class, or a reference to it. All references to one class are alike.
void EntryCursor::check_tag(const StreamedValue& pointed) {
  const std::uint32_t tag = take_word();
  if (tag == kNewClassTag) {
    const std::string_view rest(reinterpret_cast<const char*>(at_), remaining());
    const std::string_view name = rest.substr(0, rest.find('\0'));
    take(name.size() + 1);
    if (parse_type_name(name).text() != pointed.type_name)
      throw UnreadableLayout("an object of class " + std::string(name) + " in a list of pointers to " +
                             pointed.type_name);
    return;
  }
  if ((tag & kClassReferenceBit) == 0) throw FormatError("an object without a class");
  const auto known = std::find_if(tags_.begin(), tags_.end(),
                                  [&](const auto& each) { return each.first == pointed.type_name; });
  if (known == tags_.end())
    tags_.emplace_back(pointed.type_name, tag);
  else if (known->second != tag)
    throw UnreadableLayout("objects of several classes in a list of pointers to " + pointed.type_name);
}

// With its version: "Track;2".
std::string_view EntryCursor::take_clones_class(ClonesHead& head) {
  constexpr std::uint32_t kBypassesStreamer = 1U << 12U;
  constexpr std::uint16_t kFirstVersionWithBase = 3;
  head.frame = take_frame();
  if (head.frame.version < kFirstVersionWithBase)
    throw UnreadableLayout("a TClonesArray in version " + std::to_string(head.frame.version));
  take(2 + 4);  // version, unique id
  const std::uint32_t bits = take_word();
  if ((bits & kIsReferenced) != 0) take(2);
  StreamedValue text;
  text.kind = Kind::kString;
  take_text(text);  // its name
  head.is_member_wise = (bits & kBypassesStreamer) != 0;
  return take_text(text);
}

EntryCursor::ClonesHead EntryCursor::take_clones_head(const StreamedValue& clones) {
  ClonesHead head;
  const std::string_view class_name = take_clones_class(head);
  const StreamedValue& item = clones.parts.front();
  const auto [name, version] = class_and_version(class_name);
  if (name != item.type_name)
    throw UnreadableLayout("a TClonesArray of " + std::string(class_name) + ", not of " + item.type_name);
  if (version < 1 || version > std::numeric_limits<std::uint16_t>::max())
    throw FormatError("a TClonesArray of a class without a version");
  head.layout = &stored_layout(item, static_cast<std::uint16_t>(version), head.is_member_wise);
  const auto count = static_cast<std::int32_t>(take_word());
  take(4);  // its lower bound
  if (count < 0) throw FormatError("a TClonesArray with a negative number of objects");
  head.count = static_cast<std::uint64_t>(count);
  return head;
}

// Of those that are written one after the other.
void EntryCursor::enter_clone() {
  if (*take(1) == std::byte{0}) throw UnreadableLayout("a TClonesArray with gaps");
}

void EntryCursor::keep(const StreamedValue& number, const std::byte* stored) {
  if (number.slot >= 0) slots_[static_cast<std::size_t>(number.slot)] = decoded_count(number.number, stored);
}

void EntryCursor::keep_column(const StreamedValue& number, std::uint64_t count) {
  if (number.slot < 0) return;
  const std::byte* stored = at_;
  const std::size_t size = number.number.stored_size();
  if (count > remaining() / size) throw FormatError("it ends too early");
  std::vector<std::uint64_t>& counts = column_counts_[static_cast<std::size_t>(number.slot)];
  counts.clear();
  for (std::uint64_t i = 0; i < count; ++i) counts.push_back(decoded_count(number.number, stored + i * size));
}

void EntryCursor::use_count_of(const StreamedValue& counted, std::uint64_t object) {
  const auto slot = static_cast<std::size_t>(counted.slot);
  if (object >= column_counts_[slot].size()) throw FormatError("an array without a number of elements");
  slots_[slot] = column_counts_[slot][object];
}

// ---- what is not wanted

void EntryCursor::skip(const StreamedValue& value) {
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
      const bool is_known = is_examined(value) && !(is_pair(value) && has_undescribed_items(value));
      if (frame.has_end && !value.has_slots && !is_known) return leave(frame);
      for (const StreamedValue& part : frame.layout->parts) skip(part);
      return leave_at_end(frame);
    }
    case Kind::kTriangle: {
      const std::uint64_t rows = take_rows(value);
      take(rows * (rows + 1) / 2, item_bytes(value));
      return;
    }
    case Kind::kBoxed:
      return skip(value.parts.front());
    case Kind::kTagged:
      take_tag(value);
      return skip(value.parts.front());
    case Kind::kClones:
      return skip_clones(value);
    case Kind::kArray:
      return skip_items(value.parts.front(), value.length);
    case Kind::kList:
      return skip_items(value.parts.front(), take_word());
    case Kind::kHeadedString:
    case Kind::kHeadedArray:
    case Kind::kCollection:
    case Kind::kOpaque:
    case Kind::kHeadedOpaque:
      return skip_headed(value, 1);
    case Kind::kPointed:
      return skip_pointed(value);
    case Kind::kPointer:
      return skip_pointer();
    default:
      throw UnknownEnd("the size of member \"" + value.name + "\" is not known");
  }
}

void EntryCursor::skip_pointer() {
  const std::uint32_t word = take_word();
  if (word == kNewClassTag) throw FormatError("an object without a byte count");
  if ((word & kByteCountBit) != 0) take(word & ~kByteCountBit);
}

void EntryCursor::skip_pointed(const StreamedValue& pointed) {
  const Frame frame = enter_pointed(pointed);
  if (!is_examined(pointed)) return leave(frame);
  skip(pointed.parts.front());
  leave_at_end(frame);
}

void EntryCursor::skip_items(const StreamedValue& item, std::uint64_t count) {
  if (item.kind == Kind::kNumbers) {
    take(count, item_bytes(item));
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) skip(item);
}

void EntryCursor::skip_clones(const StreamedValue& clones) {
  const ClonesHead head = take_clones_head(clones);
  // Of no objects, headers of their members may be left.
  if (head.frame.has_end && (head.count == 0 || !is_examined(clones))) return leave(head.frame);
  const StreamedValue& item = clones.parts.front();
  if (is_examining_ && head.count > 0) met_.insert(&item);
  if (head.is_member_wise) {
    for (const StreamedValue& member : head.layout->parts)
      if (head.count > 0) skip_column(member, head.count);
  } else {
    for (std::uint64_t i = 0; i < head.count; ++i) {
      enter_clone();
      skip(item);
    }
  }
  leave_at_end(head.frame);
}

bool EntryCursor::has_known_bodies(const StreamedValue& value) const {
  const bool is_opaque = value.kind == Kind::kOpaque || value.kind == Kind::kHeadedOpaque;
  return !is_opaque && !has_undescribed_items(value) && is_examined(value);
}

void EntryCursor::skip_headed(const StreamedValue& value, std::uint64_t count) {
  if (has_known_bodies(value)) return skip_bodies(value, count);
  const Frame frame = take_frame();
  if (!frame.has_end) throw FormatError("an object without a byte count");
  if (is_examining_ && (frame.version & kMemberWiseBit) == 0 && frame.end - at_ > 4) check_pairs(value);
  leave(frame);
}

// A map that can be read if its keys and values follow one another, but not if its pairs do, as they do here.
void EntryCursor::check_pairs(const StreamedValue& map) {
  if (map.kind != Kind::kCollection || map.parts.size() < 2) return;
  const std::vector<StreamedValue>& pair = map.parts.back().parts;
  for (std::size_t i = 0; i < pair.size(); ++i)
    if (const std::string problem = problem_of(pair[i]);
        problem_of(map.parts.front().parts[i]).empty() && !problem.empty())
      throw UnreadableLayout("of the pairs of a map: " + problem);
}

// `count` strings, arrays or lists behind one header, or as many as there are.
void EntryCursor::skip_bodies(const StreamedValue& value, std::optional<std::uint64_t> count) {
  const Frame frame = take_frame();
  if (!count && !frame.has_end) throw FormatError("a collection without a byte count");
  const bool is_member_wise = (frame.version & kMemberWiseBit) != 0;
  // Of items without a description, member by member or not, the end is known.
  if (is_member_wise && class_behind_header(value) == nullptr && frame.has_end) return leave(frame);
  const StreamedValue* layout = is_member_wise ? &enter_columns(value) : nullptr;
  for (std::uint64_t i = 0; count ? i < *count : at_ < frame.end; ++i) skip_body(value, layout);
  leave_at_end(frame);
}

// `layout` is of objects whose members follow one after another.
void EntryCursor::skip_body(const StreamedValue& value, const StreamedValue* layout) {
  if (value.kind == Kind::kHeadedString) {
    take_text(value);
    return;
  }
  if (value.kind == Kind::kHeadedArray) {
    const StreamedValue& item = value.parts.front();
    if (!item.is_headed()) return skip_items(item, value.length);
    for (std::uint64_t i = 0; i < value.length; ++i) skip_body(item, layout);
    return;
  }
  const std::uint32_t count = take_word();
  if (is_examining_ && layout == nullptr && count > 0) check_pairs(value);
  if (layout == nullptr) return skip_items(value.parts.back(), count);
  if (count == 0) return;
  for (const StreamedValue& member : layout->parts) skip_column(member, count);
}

const StreamedValue& EntryCursor::enter_columns(const StreamedValue& value) {
  const StreamedValue* item = class_behind_header(value);
  if (item == nullptr) throw FormatError("a collection has members that its items do not have");
  const std::uint16_t version = take_half_word();
  return stored_layout(*item, version, true);
}

// A member of `count` objects that are stored member by member.
void EntryCursor::skip_column(const StreamedValue& member, std::uint64_t count) {
  if (member.is_in_columns()) {
    for (const StreamedValue& part : member.parts) skip_column(part, count);
  } else if (member.is_headed()) {
    skip_headed(member, count);
  } else if (member.kind == Kind::kCounted) {
    for (std::uint64_t i = 0; i < count; ++i) {
      use_count_of(member, i);
      skip(member);
    }
  } else {
    keep_column(member, count);
    skip_items(member, count);
  }
}

// ---- all of an entry

void EntryCursor::begin(std::span<const std::byte> entry) {
  at_ = entry.data();
  end_ = at_ + entry.size();
  tags_.clear();
}

const std::set<const StreamedValue*>& EntryCursor::examine(const StreamedValue& value,
                                                           std::span<const std::byte> entry) {
  begin(entry);
  is_examining_ = true;
  try {
    if (value.kind == Kind::kItems)
      skip_to_end(value.parts.front());
    else
      skip(value);
  } catch (const UnknownEnd&) {
    return met_;
  }
  if (at_ != end_) throw FormatError("its bytes are not those of the members of " + value.type_name);
  return met_;
}

void EntryCursor::skip_to_end(const StreamedValue& item) {
  if (remaining() == 0) return;
  if (item.is_headed()) {
    if (has_known_bodies(item)) return skip_bodies(item, std::nullopt);
    return leave(take_frame());
  }
  while (remaining() > 0) {
    const std::byte* before = at_;
    skip(item);
    if (at_ == before) throw FormatError("objects without any bytes");
  }
}

}  // namespace skimline::io
