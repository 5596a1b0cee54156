// SPDX-License-Identifier: BSD-3-Clause
// Reads the members of streamed ROOT objects and knows where in the payload they stand.
#pragma once

#include "storage/byte_reader.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// How numbers are stored in the arrays of ROOT objects.
enum class NumberType { kChar, kShort, kInt, kLong, kFloat, kDouble };

std::size_t size_of(NumberType type);

/// Numbers of a payload, big-endian.
struct NumberArray {
  NumberType type = NumberType::kDouble;
  std::size_t offset = 0;  ///< of the first, in the payload
  std::size_t count = 0;

  std::size_t num_bytes() const { return count * size_of(type); }
  std::size_t end() const { return offset + num_bytes(); }
};

/// Numbers that lie one behind the other: bytes from `begin` to `end` of the payload.
struct PayloadRange {
  std::size_t begin = 0, end = 0;
};

/// The version of an object, and where it ends in the payload.
struct ObjectFrame {
  std::uint16_t version = 0;
  std::size_t end = 0;  ///< 0 if it does not say
};

/// An object of a version that cannot be read; nothing says that its bytes are damaged.
class UnknownVersion : public FormatError {
 public:
  using FormatError::FormatError;
};

/// Reads forward through the payload of an object. Throws FormatError for bytes that are not what they
/// should be; whatever the bytes, nothing outside them is read and nothing larger is allocated.
class ObjectCursor {
 public:
  explicit ObjectCursor(std::span<const std::byte> payload) : payload_(payload), reader_(payload) {}

  std::size_t position() const { return payload_.size() - reader_.remaining(); }
  std::size_t remaining() const { return reader_.remaining(); }
  void skip(std::uint64_t size) { reader_.take(size); }
  void skip_to(std::size_t position);

  template <typename T>
  T number() {
    return reader_.big<T>();
  }
  double real();
  std::string text() { return reader_.root_string(); }
  /// Skips a text without copying it.
  void skip_text();

  /// The byte count and version that objects begin with. The first two throw if the version is not one of a
  /// class that was asked for, naming both.
  ObjectFrame begin(const char* class_name, std::uint16_t version);
  /// Of several versions, ascending. The first ones of classes had no byte count, and Geant4 writes them so
  /// to this day.
  ObjectFrame begin(const char* class_name, std::initializer_list<std::uint16_t> versions);
  ObjectFrame begin();
  /// Throws unless exactly the bytes of the frame were read.
  void end(const ObjectFrame& frame);
  void skip_object();

  /// The base TObject; returns its bits. TNamed; returns the title.
  struct Named {
    std::string name, title;
    std::uint32_t bits = 0;
    std::size_t bits_place = 0;
  };
  std::uint32_t object_base();
  Named named();

  /// A count and so many numbers.
  NumberArray array(NumberType type);
  /// An array of doubles, decoded.
  std::vector<double> reals();

  /// An object behind a pointer: its class, empty for a null pointer, and where it ends. `key_size` is the
  /// length of the record's key, which references to classes count too. References to objects throw.
  struct Pointed {
    std::string class_name;
    std::size_t end = 0;
  };
  Pointed pointer(std::size_t key_size);
  /// Skips one, whatever it is.
  void skip_pointer();
  /// Whether a reference to an object comes next.
  bool is_reference() const;

  /// Where pointer() met references to classes: they count from the record's key, whose length they need.
  const std::vector<std::size_t>& references() const { return references_; }
  /// The objects that begin() and pointer() met, from their byte counts on.
  const std::vector<PayloadRange>& frames() const { return frames_; }

 private:
  std::size_t checked_end(std::uint32_t word) const;
  std::uint16_t version_without_count() const;

  std::string class_at(std::size_t position) const;

  std::span<const std::byte> payload_;
  ByteReader reader_;
  std::vector<std::size_t> references_;
  std::vector<PayloadRange> frames_;
};

}  // namespace skimline::io
