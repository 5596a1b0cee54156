// SPDX-License-Identifier: BSD-3-Clause
// Streamed objects of any class: their headers, the pointers to them, and where each ends.
#pragma once

#include "skimline/io/format_error.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace skimline::io {

struct StreamedObject;
struct StreamedPointer;

/// Reads forward through one object in the payload of a key, never behind the object's end: throws
/// FormatError there. Positions count from the payload's start. Objects that lie in it are given as readers
/// of their own and stepped over, so that no byte is read twice. A view; copies are cheap.
class StreamedBytes {
 public:
  /// `key_size` is the length of the record's key, which references count too.
  StreamedBytes(std::span<const std::byte> payload, std::size_t key_size)
      : payload_(payload), end_(payload.size()), key_size_(key_size) {}

  std::size_t position() const { return position_; }
  std::size_t end() const { return end_; }
  std::size_t remaining() const { return end_ - position_; }

  void skip(std::uint64_t size) {
    if (size > remaining()) throw FormatError("an object that is longer than the bytes it lies in");
    position_ += static_cast<std::size_t>(size);
  }

  template <typename T>
  T number() {
    static_assert(std::is_integral_v<T>);
    const std::byte* bytes = payload_.data() + position_;
    skip(sizeof(T));
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(value) << 8 |
                                                   std::to_integer<std::uint64_t>(bytes[i]));
    return static_cast<T>(value);
  }

  std::string_view text();

  /// The bytes from `begin` to `end`, which must have been stepped over.
  StreamedBytes part(std::size_t begin, std::size_t end) const;

  /// An object that lies here, after its header.
  StreamedObject object();
  /// What a pointer points to, after its class.
  StreamedPointer pointer();

  /// The base class TObject.
  void skip_tobject();
  /// What a TObjArray or a TList of a version has before its elements. Returns how many these are: never more
  /// than there are bytes for.
  std::uint32_t begin_array(std::uint16_t version);
  std::uint32_t begin_list(std::uint16_t version);
  /// What follows each element of a list.
  void end_list_element(std::uint16_t version);

  /// Goes on where an object without a size of its own ended.
  void continue_after(const StreamedBytes& object) { position_ = object.position_; }

 private:
  std::string_view class_name_at(std::size_t position) const;
  std::string_view referenced_class(std::uint32_t tag, std::size_t before) const;
  std::uint32_t count();

  std::span<const std::byte> payload_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  std::size_t key_size_ = 0;
};

/// An object and the version of its class.
struct StreamedObject {
  std::uint16_t version = 0;
  std::uint32_t checksum = 0;  ///< of classes without versions, which have version 0
  bool has_size = false;       ///< whether `bytes` end with the object; if not, see continue_after()
  StreamedBytes bytes;
};

struct StreamedPointer {
  enum class Kind { kNull, kObject, kReference };

  Kind kind = Kind::kNull;
  std::size_t place_of_pointer = 0;
  std::size_t place = 0;  ///< what references to the object mean: the position of the pointer it lies behind
  std::string_view class_name;
  StreamedBytes bytes;  ///< the object, its header included; empty if it is not here
};

}  // namespace skimline::io
