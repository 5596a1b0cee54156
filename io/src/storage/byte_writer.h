// SPDX-License-Identifier: BSD-3-Clause
// Appends numbers and strings to bytes: little-endian for RNTuple envelopes, big-endian for the ROOT
// container.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace skimline::io {

class ByteWriter {
 public:
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::span<std::byte> mutable_bytes() { return bytes_; }
  std::vector<std::byte> take() && { return std::move(bytes_); }
  std::size_t size() const { return bytes_.size(); }

  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }

  template <typename T>
  void little(std::type_identity_t<T> value) {
    static_assert(std::endian::native == std::endian::little);
    raw(std::as_bytes(std::span(&value, 1)));
  }

  template <typename T>
  void big(std::type_identity_t<T> value) {
    if constexpr (std::is_same_v<T, double>) {
      big<std::uint64_t>(std::bit_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, float>) {
      big<std::uint32_t>(std::bit_cast<std::uint32_t>(value));
    } else {
      for (std::size_t i = sizeof(T); i-- > 0;)
        bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }

  /// Big-endian numbers, each of which `convert` makes of an element.
  template <typename T, typename Element, typename Convert>
  void big_array(std::span<const Element> elements, Convert&& convert) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    static_assert(sizeof(T) == sizeof(Bits));
    const std::size_t start = bytes_.size();
    bytes_.resize(start + elements.size() * sizeof(T));
    std::byte* to = bytes_.data() + start;
    for (const Element& element : elements) {
      const Bits bits = swapped(std::bit_cast<Bits>(T{convert(element)}));
      std::memcpy(to, &bits, sizeof bits);
      to += sizeof bits;
    }
  }

  /// Overwrites a little-endian number written before.
  template <typename T>
  void set_little(std::size_t position, std::type_identity_t<T> value) {
    std::memcpy(bytes_.data() + position, &value, sizeof(T));
  }

  /// Overwrites a big-endian number written before.
  template <typename T>
  void set_big(std::size_t position, std::type_identity_t<T> value) {
    ByteWriter number;
    number.big<T>(value);
    std::memcpy(bytes_.data() + position, number.bytes().data(), sizeof(T));
  }

  /// A string of an RNTuple envelope: u32 length, then the bytes.
  void envelope_string(std::string_view text) {
    little<std::uint32_t>(static_cast<std::uint32_t>(text.size()));
    raw(std::as_bytes(std::span(text.data(), text.size())));
  }

  /// A string of the ROOT container: u8 length, or 255 and a u32 length.
  void root_string(std::string_view text) {
    if (text.size() < 255) {
      big<std::uint8_t>(static_cast<std::uint8_t>(text.size()));
    } else {
      big<std::uint8_t>(255);
      big<std::uint32_t>(static_cast<std::uint32_t>(text.size()));
    }
    raw(std::as_bytes(std::span(text.data(), text.size())));
  }

 private:
  static std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }
  static std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }

  std::vector<std::byte> bytes_;
};

}  // namespace skimline::io
