// SPDX-License-Identifier: BSD-3-Clause
// The checksum that object stores have of what was sent to them (RFC 1321).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace skimline::io {

using Md5Sum = std::array<std::uint8_t, 16>;

/// Of bytes that come piece by piece.
class Md5 {
 public:
  void add(std::span<const std::byte> bytes);
  Md5Sum finish();

 private:
  void add_block(const std::uint8_t* block);

  std::array<std::uint32_t, 4> state_{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t size_ = 0;
};

Md5Sum md5_of(std::span<const std::byte> bytes);

/// In small hexadecimal letters.
std::string hex_text(std::span<const std::uint8_t> bytes);

std::string base64_text(std::span<const std::uint8_t> bytes);

}  // namespace skimline::io
