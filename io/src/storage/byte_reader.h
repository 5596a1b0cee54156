// SPDX-License-Identifier: BSD-3-Clause
// A cursor over bytes that cannot be trusted: every read is checked.
#pragma once

#include "skimline/io/format_error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace skimline::io {

/// A number, for messages.
inline std::string decimal(std::uint64_t number) { return std::to_string(number); }

/// Reads forward through bytes it does not own. Throws FormatError where they end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t remaining() const { return bytes_.size(); }

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) throw FormatError("data end too early");
    const std::span<const std::byte> taken = bytes_.first(static_cast<std::size_t>(size));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(size));
    return taken;
  }

  template <typename T>
  T little() {
    static_assert(std::endian::native == std::endian::little && std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  template <typename T>
  T big() {
    static_assert(std::is_integral_v<T>);
    std::make_unsigned_t<T> value = 0;
    for (const std::byte byte : take(sizeof(T)))
      value = static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(value) << 8 |
                                                   std::to_integer<std::uint64_t>(byte));
    return static_cast<T>(value);
  }

  /// A string of an RNTuple envelope: u32 length, then the bytes.
  std::string envelope_string() { return text(little<std::uint32_t>()); }

  /// A string of the ROOT container: u8 length, or 255 and a u32 length.
  std::string root_string() {
    const std::uint32_t length = big<std::uint8_t>();
    return text(length == 255 ? big<std::uint32_t>() : length);
  }

 private:
  std::string text(std::uint32_t length) {
    const std::span<const std::byte> bytes = take(length);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::span<const std::byte> bytes_;
};

}  // namespace skimline::io
