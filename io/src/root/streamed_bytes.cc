// SPDX-License-Identifier: BSD-3-Clause
#include "root/streamed_bytes.h"

#include "root/object_streaming.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr std::uint16_t kMemberwiseBit = 0x4000;
constexpr std::uint16_t kByteCountInVersion = 0x4000;
constexpr std::size_t kMaxClassName = 1000;
constexpr std::uint16_t kLastListWithoutOptions = 3;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

bool has_byte_count(std::uint32_t word) { return (word & kByteCountBit) != 0 && word != kNewClassTag; }

}  // namespace

std::string_view StreamedBytes::text() {
  const std::uint32_t short_size = number<std::uint8_t>();
  const std::uint32_t size = short_size == 255 ? number<std::uint32_t>() : short_size;
  const std::size_t begin = position_;
  skip(size);
  return {reinterpret_cast<const char*>(payload_.data()) + begin, size};
}

StreamedBytes StreamedBytes::part(std::size_t begin, std::size_t end) const {
  if (begin > end || end > position_) throw FormatError("a part of an object that was not read");
  StreamedBytes part = *this;
  part.position_ = begin;
  part.end_ = end;
  return part;
}

StreamedObject StreamedBytes::object() {
  StreamedObject object{0, 0, false, *this};
  StreamedBytes& bytes = object.bytes;
  StreamedBytes ahead = *this;
  const bool is_long_enough = remaining() >= sizeof(std::uint32_t);
  if (const std::uint32_t word = is_long_enough ? ahead.number<std::uint32_t>() : 0; has_byte_count(word)) {
    ahead.skip(word & ~kByteCountBit);
    object.has_size = true;
    bytes.end_ = ahead.position_;
    bytes.skip(sizeof word);
  }
  object.version = bytes.number<std::uint16_t>() & static_cast<std::uint16_t>(~kMemberwiseBit);
  if (object.version == 0 && object.has_size && bytes.remaining() >= sizeof object.checksum)
    object.checksum = bytes.number<std::uint32_t>();
  position_ = object.has_size ? bytes.end_ : bytes.position_;
  return object;
}

std::string_view StreamedBytes::class_name_at(std::size_t position) const {
  const char* begin = reinterpret_cast<const char*>(payload_.data()) + position;
  const std::size_t size = std::min(payload_.size() - position, kMaxClassName);
  const void* zero = std::memchr(begin, 0, size);
  if (zero == nullptr) throw FormatError("the name of a class has no end");
  return {begin, static_cast<std::size_t>(static_cast<const char*>(zero) - begin)};
}

// The reference names the position of the tag that the name of the class follows.
std::string_view StreamedBytes::referenced_class(std::uint32_t tag, std::size_t before) const {
  const std::size_t place = (tag & ~kClassReferenceBit) - key_size_ - kReferenceOffset;
  if (place >= before || before - place < sizeof tag) throw FormatError("a reference to no class");
  StreamedBytes bytes = *this;
  bytes.position_ = place;
  if (bytes.number<std::uint32_t>() != kNewClassTag) throw FormatError("a reference to no class");
  return class_name_at(bytes.position_);
}

StreamedPointer StreamedBytes::pointer() {
  StreamedPointer pointer{StreamedPointer::Kind::kNull, position_, position_, {}, *this};
  StreamedBytes& bytes = pointer.bytes;
  const auto word = number<std::uint32_t>();
  bytes.skip(sizeof word);
  bytes.end_ = bytes.position_;
  std::uint32_t tag = word;
  const bool has_size = has_byte_count(word);
  if (has_size) {
    skip(word & ~kByteCountBit);
    bytes.end_ = position_;
    tag = bytes.number<std::uint32_t>();
  }
  if (tag == 0) return pointer;
  if ((tag & kClassReferenceBit) == 0) {
    pointer.kind = StreamedPointer::Kind::kReference;
    const std::size_t offset = key_size_ + kReferenceOffset;
    pointer.place = tag < offset ? kNowhere : tag - offset;
    return pointer;
  }
  if (!has_size) throw FormatError("an object without a byte count");
  pointer.kind = StreamedPointer::Kind::kObject;
  if (tag == kNewClassTag) {
    pointer.class_name = class_name_at(bytes.position_);
    bytes.skip(pointer.class_name.size() + 1);
  } else {
    pointer.class_name = referenced_class(tag, pointer.place);
  }
  return pointer;
}

void StreamedBytes::skip_tobject() {
  if ((number<std::uint16_t>() & kByteCountInVersion) != 0) skip(2 + 2);  // rest of a byte count, version
  skip(4);                                                                // unique id
  if ((number<std::uint32_t>() & kIsReferenced) != 0) skip(2);            // number of the process
}

// Each element takes as much as a null pointer.
std::uint32_t StreamedBytes::count() {
  const auto count = number<std::uint32_t>();
  if (count > remaining() / sizeof(std::uint32_t))
    throw FormatError("a list that is longer than the bytes it lies in");
  return count;
}

std::uint32_t StreamedBytes::begin_array(std::uint16_t version) {
  if (version > 2) skip_tobject();
  if (version > 1) text();
  const std::uint32_t num_elements = count();
  skip(4);  // lower bound
  return num_elements;
}

std::uint32_t StreamedBytes::begin_list(std::uint16_t version) {
  if (version > kLastListWithoutOptions) {
    skip_tobject();
    text();
  }
  return count();
}

void StreamedBytes::end_list_element(std::uint16_t version) {
  if (version > kLastListWithoutOptions) text();
}

}  // namespace skimline::io
