// SPDX-License-Identifier: BSD-3-Clause
// Records of baskets as ROOT writes them, made by hand.
#pragma once

#include "storage/byte_writer.h"
#include "ttree/basket_entries.h"

#include "skimline/io/compression.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

using Bytes = std::vector<std::byte>;

/// Bytes from hexadecimal digits; blanks separate them as one likes.
inline Bytes from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string digits;
  for (const char c : text)
    if (c != ' ') digits += c;
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(16 * digit(digits[i]) + digit(digits[i + 1])));
  return bytes;
}

inline void append(Bytes& bytes, const Bytes& more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

/// A basket, with what is odd about it.
struct BasketBytes {
  std::vector<Bytes> entries;
  bool has_offsets = true;
  bool has_sizes = false;  ///< of entries, instead of their offsets
  int features = -1;       ///< none unless >= 0
  int flag = 0;
  int key_version = 1004;
  int version = 3;
  int entry_size = 1000;
  std::uint32_t junk = 0;  ///< in the slot behind the last offset
  CompressionSetting compression{CompressionAlgorithm::kNone, 0};
  std::size_t block_size = 0xFFFFFF;

  Bytes data() const {
    Bytes bytes;
    for (const Bytes& entry : entries) append(bytes, entry);
    return bytes;
  }
  std::uint16_t key_size() const {
    return static_cast<std::uint16_t>(26 + (key_version > 1000 ? 8 : 0) + 8 + 2 + 2 + 19 +
                                      (features >= 0 ? 1 : 0));
  }
  std::uint32_t last() const { return static_cast<std::uint32_t>(key_size() + data().size()); }

  void write_header(ByteWriter& out, std::size_t object_size, std::size_t record_size) const {
    out.big<std::uint32_t>(static_cast<std::uint32_t>(record_size));
    out.big<std::uint16_t>(static_cast<std::uint16_t>(key_version));
    out.big<std::uint32_t>(static_cast<std::uint32_t>(object_size));
    out.big<std::uint32_t>(0);
    out.big<std::uint16_t>(key_size());
    out.big<std::uint16_t>(0);
    out.zeros(key_version > 1000 ? 16 : 8);
    out.root_string("TBasket");
    out.root_string("b");
    out.root_string("t");
    out.big<std::uint16_t>(static_cast<std::uint16_t>(version));
    out.big<std::int32_t>(32000);
    out.big<std::int32_t>(features >= 0 ? -entry_size : entry_size);
    if (features >= 0) out.big<std::uint8_t>(static_cast<std::uint8_t>(features));
    out.big<std::int32_t>(static_cast<std::int32_t>(entries.size()));
    out.big<std::uint32_t>(last());
    out.big<std::uint8_t>(static_cast<std::uint8_t>(flag));
  }

  void write_offsets(ByteWriter& out, bool has_junk) const {
    out.big<std::uint32_t>(static_cast<std::uint32_t>(entries.size() + (has_junk ? 1 : 0)));
    std::size_t offset = has_sizes ? 0 : key_size();
    for (const Bytes& entry : entries) {
      out.big<std::uint32_t>(static_cast<std::uint32_t>(offset));
      offset = has_sizes ? entry.size() : offset + entry.size();
    }
    if (has_junk) out.big<std::uint32_t>(junk);
  }

  /// As it is in a file.
  Bytes record() const {
    ByteWriter object;
    object.raw(data());
    if (has_offsets) write_offsets(object, true);
    Bytes stored;
    for (std::size_t begin = 0; begin < object.size(); begin += block_size)
      compress_block(std::span(object.bytes()).subspan(begin, std::min(block_size, object.size() - begin)),
                     compression, stored);
    ByteWriter out;
    write_header(out, object.size(), key_size() + stored.size());
    out.raw(stored);
    return Bytes(out.bytes());
  }

  /// As it is in a branch.
  Bytes embedded() const {
    ByteWriter out;
    write_header(out, 0, 0);
    const int kind = flag % 80;
    if (flag < 80 && kind % 10 != 2) write_offsets(out, false);
    if (kind > 40) {
      out.big<std::uint32_t>(1);
      out.zeros(4);
    }
    if (version == 1) out.big<std::uint32_t>(last());
    out.zeros(key_size());
    out.raw(data());
    return Bytes(out.bytes());
  }

  TreeBasket place() const {
    TreeBasket basket;
    basket.num_entries = entries.size();
    return basket;
  }
};

}  // namespace skimline::io
