// SPDX-License-Identifier: BSD-3-Clause
#include "root/object_cursor.h"

#include "root/object_streaming.h"

#include <algorithm>
#include <bit>

namespace skimline::io {
namespace {

// Axes and bins have two or three; more would only make the search for them slow.
constexpr std::size_t kMaxClasses = 32;

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
  frame.end = checked_end(number<std::uint32_t>());
  frame.version = number<std::uint16_t>();
  return frame;
}

ObjectFrame ObjectCursor::begin(const char* class_name, std::uint16_t version) {
  const ObjectFrame frame = begin();
  if (frame.version != version)
    throw UnknownVersion(std::string("class ") + class_name + " in version " + std::to_string(frame.version) +
                         ": only version " + std::to_string(version) + ", that of ROOT 6.40, can be read");
  return frame;
}

void ObjectCursor::end(const ObjectFrame& frame) {
  if (position() != frame.end) throw FormatError("an object whose byte count does not fit its members");
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
  Named named;
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

ObjectCursor::Pointed ObjectCursor::pointer(std::size_t key_size) {
  Pointed pointed;
  const auto word = number<std::uint32_t>();
  if (word == 0) {
    pointed.end = position();
    return pointed;
  }
  pointed.end = checked_end(word);
  const std::size_t place = position();
  const auto tag = number<std::uint32_t>();
  if (tag == kNewClassTag) {
    while (const auto letter = number<std::uint8_t>()) pointed.class_name += static_cast<char>(letter);
    if (classes_.size() == kMaxClasses) throw FormatError("too many classes in one object");
    classes_.push_back({place + key_size + kReferenceOffset, pointed.class_name});
    return pointed;
  }
  const auto known = std::find_if(classes_.begin(), classes_.end(), [&](const KnownClass& known_class) {
    return (known_class.position | kClassReferenceBit) == tag;
  });
  if (known == classes_.end()) throw FormatError("a reference to nothing");
  pointed.class_name = known->name;
  references_.push_back(place);
  return pointed;
}

}  // namespace skimline::io
