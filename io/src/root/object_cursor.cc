// SPDX-License-Identifier: BSD-3-Clause
#include "root/object_cursor.h"

#include "root/object_streaming.h"

#include <algorithm>
#include <bit>

namespace skimline::io {
namespace {

constexpr std::size_t kMostLettersOfClass = 1000;

std::string listed(std::initializer_list<std::uint16_t> versions) {
  std::string text = versions.size() == 1 ? "version" : "versions";
  for (const std::uint16_t* version = versions.begin(); version != versions.end(); ++version) {
    if (version != versions.begin()) text += version + 1 == versions.end() ? " and" : ",";
    text += " " + std::to_string(*version);
  }
  return text;
}

void check_version(const char* class_name, const ObjectFrame& frame,
                   std::initializer_list<std::uint16_t> versions) {
  if (std::find(versions.begin(), versions.end(), frame.version) == versions.end())
    throw UnknownVersion(std::string("class ") + class_name + " in version " + std::to_string(frame.version) +
                         ": only " + listed(versions) + ", that of ROOT 6.40, can be read");
}

}  // namespace

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::kChar:
      return 1;
    case NumberType::kShort:
      return 2;
    case NumberType::kInt:
    case NumberType::kFloat:
      return 4;
    case NumberType::kLong:
    case NumberType::kDouble:
      break;
  }
  return 8;
}

void ObjectCursor::skip_to(std::size_t position) {
  if (position < this->position()) throw FormatError("an object is longer than it says");
  skip(position - this->position());
}

void ObjectCursor::skip_pointer() {
  if (const auto word = number<std::uint32_t>(); word != 0) skip_to(checked_end(word));
}

double ObjectCursor::real() { return std::bit_cast<double>(reader_.big<std::uint64_t>()); }

void ObjectCursor::skip_text() {
  const std::uint32_t length = number<std::uint8_t>();
  skip(length == 255 ? number<std::uint32_t>() : length);
}

// `word` was just read.
std::size_t ObjectCursor::checked_end(std::uint32_t word) const {
  const std::uint32_t count = word & ~kByteCountBit;
  if ((word & kByteCountBit) == 0) throw FormatError("an object without a byte count");
  if (count > remaining()) throw FormatError("an object that is longer than the bytes it lies in");
  return position() + count;
}

ObjectFrame ObjectCursor::begin() {
  ObjectFrame frame;
  const std::size_t start = position();
  frame.end = checked_end(number<std::uint32_t>());
  frames_.push_back({start, frame.end});
  frame.version = number<std::uint16_t>();
  return frame;
}

ObjectFrame ObjectCursor::begin(const char* class_name, std::uint16_t version) {
  const ObjectFrame frame = begin();
  check_version(class_name, frame, {version});
  return frame;
}

ObjectFrame ObjectCursor::begin(const char* class_name, std::initializer_list<std::uint16_t> versions) {
  ObjectFrame frame{version_without_count(), 0};
  if (frame.version != 0)
    skip(sizeof frame.version);
  else
    frame = begin();
  check_version(class_name, frame, versions);
  return frame;
}

std::uint16_t ObjectCursor::version_without_count() const {
  constexpr std::uint16_t kLargestVersion = 0x3fff;
  ByteReader ahead = reader_;
  const auto word = ahead.big<std::uint32_t>();
  const auto version = static_cast<std::uint16_t>(word >> 16);
  return (word & kByteCountBit) == 0 && version <= kLargestVersion ? version : 0;
}

void ObjectCursor::end(const ObjectFrame& frame) {
  if (frame.end != 0 && position() != frame.end)
    throw FormatError("an object whose byte count does not fit its members");
}

void ObjectCursor::skip_object() {
  const std::size_t end = checked_end(number<std::uint32_t>());
  skip_to(end);
}

std::uint32_t ObjectCursor::object_base() {
  skip(2 + 4);  // version, unique id
  const auto bits = number<std::uint32_t>();
  if ((bits & kIsReferenced) != 0) skip(2);  // number of the process
  return bits;
}

ObjectCursor::Named ObjectCursor::named() {
  const ObjectFrame frame = begin("TNamed", 1);
  constexpr std::size_t kBeforeBits = 2 + 4;  // version and number of the object
  Named named;
  named.bits_place = position() + kBeforeBits;
  named.bits = object_base();
  named.name = text();
  named.title = text();
  end(frame);
  return named;
}

NumberArray ObjectCursor::array(NumberType type) {
  const auto count = number<std::int32_t>();
  if (count < 0) throw FormatError("an array with a negative number of elements");
  const NumberArray array{type, position(), static_cast<std::size_t>(count)};
  skip(array.num_bytes());
  return array;
}

std::vector<double> ObjectCursor::reals() {
  const auto count = number<std::int32_t>();
  if (count < 0 || static_cast<std::size_t>(count) > remaining() / sizeof(double))
    throw FormatError("an array that is longer than the bytes it lies in");
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = real();
  return values;
}

bool ObjectCursor::is_reference() const {
  ByteReader ahead = reader_;
  const auto word = ahead.big<std::uint32_t>();
  return word != 0 && (word & kByteCountBit) == 0;
}

// The name of a class behind the tag at a position before this one.
std::string ObjectCursor::class_at(std::size_t position) const {
  if (position >= this->position()) throw FormatError("a reference to nothing");
  ObjectCursor cursor(payload_);
  cursor.skip(position);
  if (cursor.number<std::uint32_t>() != kNewClassTag) throw FormatError("a reference to nothing");
  std::string name;
  while (const auto letter = cursor.number<std::uint8_t>()) {
    if (name.size() == kMostLettersOfClass) throw FormatError("the name of a class has no end");
    name += static_cast<char>(letter);
  }
  return name;
}

ObjectCursor::Pointed ObjectCursor::pointer(std::size_t key_size) {
  Pointed pointed;
  const auto word = number<std::uint32_t>();
  if (word == 0) {
    pointed.end = position();
    return pointed;
  }
  pointed.end = checked_end(word);
  const std::size_t place = position();
  frames_.push_back({place - sizeof word, pointed.end});
  const auto tag = number<std::uint32_t>();
  if (tag == kNewClassTag) {
    pointed.class_name = class_at(place);
    skip(pointed.class_name.size() + 1);
    return pointed;
  }
  if ((tag & kClassReferenceBit) == 0) throw FormatError("a reference to nothing");
  pointed.class_name = class_at((tag & ~kClassReferenceBit) - key_size - kReferenceOffset);
  references_.push_back(place);
  return pointed;
}

}  // namespace skimline::io
