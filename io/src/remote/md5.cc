// SPDX-License-Identifier: BSD-3-Clause
#include "remote/md5.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace skimline::io {
namespace {

constexpr std::size_t kMd5Block = 64, kRounds = 64;

// The whole part of 2^32 |sin(i + 1)|.
const std::array<std::uint32_t, kRounds>& sines() {
  static const std::array<std::uint32_t, kRounds> all = [] {
    std::array<std::uint32_t, kRounds> table{};
    for (std::size_t i = 0; i < kRounds; ++i)
      table[i] = static_cast<std::uint32_t>(std::floor(std::ldexp(std::fabs(maths::sin(double(i + 1))), 32)));
    return table;
  }();
  return all;
}

constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

struct Mixed {
  std::uint32_t value;
  std::size_t word;
};

Mixed mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  switch (round / 16) {
    case 0:
      return {(b & c) | (~b & d), round};
    case 1:
      return {(d & b) | (~d & c), (5 * round + 1) % 16};
    case 2:
      return {b ^ c ^ d, (3 * round + 5) % 16};
    default:
      return {c ^ (b | ~d), (7 * round) % 16};
  }
}

std::uint32_t little_word(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

template <typename Number>
void put_little(Number number, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < sizeof number; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

}  // namespace

void Md5::add(std::span<const std::byte> bytes) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (std::size_t left = bytes.size(); left > 0;) {
    const std::size_t filled = size_ % kMd5Block;
    const std::size_t taken = std::min(left, kMd5Block - filled);
    std::memcpy(pending_.data() + filled, from, taken);
    size_ += taken;
    from += taken;
    left -= taken;
    if (size_ % kMd5Block == 0) add_block(pending_.data());
  }
}

void Md5::add_block(const std::uint8_t* block) {
  auto [a, b, c, d] = state_;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Mixed mix = mixed(round, b, c, d);
    const std::uint32_t sum = a + mix.value + sines()[round] + little_word(block + 4 * mix.word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[round / 16][round % 4]);
  }
  const std::array<std::uint32_t, 4> added{a, b, c, d};
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

Md5Sum Md5::finish() {
  std::array<std::uint8_t, 8> bits{};
  put_little(size_ * 8, bits.data());
  std::array<std::uint8_t, kMd5Block> filler{0x80};
  const std::size_t filled = size_ % kMd5Block;
  const std::size_t size =
      (filled < kMd5Block - bits.size() ? kMd5Block : 2 * kMd5Block) - bits.size() - filled;
  add(std::as_bytes(std::span(filler).first(size)));
  add(std::as_bytes(std::span(bits)));
  Md5Sum sum{};
  for (std::size_t i = 0; i < state_.size(); ++i) put_little(state_[i], sum.data() + 4 * i);
  return sum;
}

Md5Sum md5_of(std::span<const std::byte> bytes) {
  Md5 sum;
  sum.add(bytes);
  return sum.finish();
}

std::string hex_text(std::span<const std::uint8_t> bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string base64_text(std::span<const std::uint8_t> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? bytes[i + j] : 0);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? kDigits[(three >> (18 - 6 * j)) & 63] : '=';
  }
  return text;
}

}  // namespace skimline::io
