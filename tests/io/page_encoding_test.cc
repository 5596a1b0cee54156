// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/page_encoding.h"

#include "byte_planes.h"

#include "skimline/io/format_error.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator());
  return bytes;
}

// One element of a page of `width` bytes, as an unsigned integer, by the words of the specification.
std::uint64_t naive_word(const Bytes& page, std::size_t count, std::size_t i, std::size_t width, bool split) {
  std::uint64_t word = 0;
  for (std::size_t b = 0; b < width; ++b)
    word |= std::to_integer<std::uint64_t>(page[split ? b * count + i : i * width + b]) << (8 * b);
  return word;
}

struct WordCase {
  ColumnType type;
  std::size_t width;
  bool split, zigzag, delta;
};

const WordCase kWordCases[] = {
    {ColumnType::kInt8, 1, false, false, false},       {ColumnType::kUInt8, 1, false, false, false},
    {ColumnType::kInt16, 2, false, false, false},      {ColumnType::kUInt16, 2, false, false, false},
    {ColumnType::kInt32, 4, false, false, false},      {ColumnType::kUInt32, 4, false, false, false},
    {ColumnType::kInt64, 8, false, false, false},      {ColumnType::kUInt64, 8, false, false, false},
    {ColumnType::kReal32, 4, false, false, false},     {ColumnType::kReal64, 8, false, false, false},
    {ColumnType::kIndex64, 8, false, false, false},    {ColumnType::kSplitInt16, 2, true, true, false},
    {ColumnType::kSplitUInt16, 2, true, false, false}, {ColumnType::kSplitInt32, 4, true, true, false},
    {ColumnType::kSplitUInt32, 4, true, false, false}, {ColumnType::kSplitInt64, 8, true, true, false},
    {ColumnType::kSplitUInt64, 8, true, false, false}, {ColumnType::kSplitReal32, 4, true, false, false},
    {ColumnType::kSplitReal64, 8, true, false, false}, {ColumnType::kSplitIndex64, 8, true, false, true},
};

TEST(PageEncoding, decodes_words_as_the_naive_loop_does_and_encodes_them_back) {
  for (const WordCase& test : kWordCases) {
    for (const std::size_t count : {0, 1, 2, 15, 16, 17, 31, 33, 1023, 1024, 1025, 5000}) {
      const PageEncoding encoding{test.type, static_cast<std::uint16_t>(8 * test.width)};
      const Bytes page = random_bytes(count * test.width, static_cast<unsigned>(count));
      ASSERT_EQ(encoded_size(encoding, count), page.size());
      Bytes decoded(count * test.width);
      decode_page(encoding, page, count, element_type(encoding), decoded.data());
      const std::uint64_t mask =
          test.width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * test.width) - 1;
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t expected = naive_word(page, count, i, test.width, test.split);
        if (test.zigzag) expected = ((expected >> 1) ^ (0 - (expected & 1))) & mask;
        if (test.delta) before = expected = (expected + before) & mask;
        ASSERT_EQ(naive_word(decoded, count, i, test.width, false), expected)
            << column_type_name(test.type) << " element " << i << " of " << count;
      }
      Bytes again(page.size());
      encode_page(encoding, decoded.data(), count, again.data());
      EXPECT_EQ(again, page) << column_type_name(test.type) << " " << count;
    }
  }
}

template <typename U>
void expect_planes_agree(std::size_t count) {
  const Bytes planes = random_bytes(count * sizeof(U), 7);
  std::vector<U> fast(count), plain(count);
  join_planes(planes.data(), count, count, fast.data());
  join_planes_plainly(planes.data(), count, 0, count, plain.data());
  EXPECT_EQ(fast, plain);
  Bytes fast_back(planes.size()), plain_back(planes.size());
  split_planes(fast.data(), count, count, fast_back.data());
  split_planes_plainly(fast.data(), 0, count, count, plain_back.data());
  EXPECT_EQ(fast_back, planes);
  EXPECT_EQ(plain_back, planes);
}

TEST(PageEncoding, vector_and_plain_loops_agree) {
  for (std::size_t count = 0; count < 70; ++count) {
    expect_planes_agree<std::uint16_t>(count);
    expect_planes_agree<std::uint32_t>(count);
    expect_planes_agree<std::uint64_t>(count);
  }
}

TEST(PageEncoding, bits_are_least_significant_first) {
  for (std::size_t count = 0; count < 70; ++count) {
    const PageEncoding encoding{ColumnType::kBit, 1};
    Bytes page = random_bytes((count + 7) / 8, static_cast<unsigned>(count));
    if (count % 8 != 0) page.back() &= static_cast<std::byte>((1 << count % 8) - 1);
    std::vector<std::uint8_t> values(count);
    decode_page(encoding, page, count, ScalarType::kBool, values.data());
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(values[i], std::to_integer<int>(page[i / 8]) >> i % 8 & 1) << i;
    Bytes again(page.size());
    encode_page(encoding, values.data(), count, again.data());
    EXPECT_EQ(again, page);
  }
}

TEST(PageEncoding, index32_widens_and_sums_modulo_32_bits) {
  const std::vector<std::uint64_t> ends = {0, 3, 3, 0xFFFFFFFF};
  for (const ColumnType type : {ColumnType::kIndex32, ColumnType::kSplitIndex32}) {
    Bytes page(16);
    encode_page({type, 32}, ends.data(), 4, page.data());
    std::vector<std::uint64_t> decoded(4);
    decode_page({type, 32}, page, 4, ScalarType::kUInt64, decoded.data());
    EXPECT_EQ(decoded, ends);
  }
}

float naive_half(unsigned half) {
  const int exponent = half >> 10 & 31;
  const double mantissa = half & 1023;
  double value = exponent == 31  ? (mantissa != 0 ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(mantissa, -24)
                                 : std::ldexp(1024 + mantissa, exponent - 25);
  return static_cast<float>(half & 0x8000 ? -value : value);
}

TEST(PageEncoding, every_half_precision_number) {
  std::vector<std::uint16_t> halves(65536);
  for (unsigned i = 0; i < 65536; ++i) halves[i] = static_cast<std::uint16_t>(i);
  const std::span<const std::byte> page = std::as_bytes(std::span(halves));
  std::vector<float> values(65536);
  decode_page({ColumnType::kReal16, 16}, page, 65536, ScalarType::kFloat, values.data());
  for (unsigned i = 0; i < 65536; ++i) {
    const float expected = naive_half(i);
    ASSERT_EQ(std::isnan(values[i]), std::isnan(expected)) << i;
    if (!std::isnan(expected)) {
      ASSERT_EQ(values[i], expected) << i;
    }
  }
  EXPECT_TRUE(std::signbit(values[0x8000]));
}

std::uint32_t naive_packed(const Bytes& page, std::size_t i, std::size_t width) {
  std::uint32_t bits = 0;
  for (std::size_t b = 0; b < width; ++b) {
    const std::size_t position = i * width + b;
    bits |= (std::to_integer<std::uint32_t>(page[position / 8]) >> position % 8 & 1) << b;
  }
  return bits;
}

TEST(PageEncoding, truncated_and_quantized_reals_of_every_width) {
  for (std::uint16_t width = 1; width <= 32; ++width) {
    constexpr std::size_t kCount = 37;
    const PageEncoding truncated{ColumnType::kReal32Trunc, width};
    const PageEncoding quantized{ColumnType::kReal32Quant, width, -2.5, 7.0};
    const Bytes page = random_bytes(encoded_size(truncated, kCount), width);
    std::vector<std::uint32_t> patterns(kCount);
    std::vector<float> values(kCount);
    decode_page(truncated, page, kCount, ScalarType::kFloat, patterns.data());
    decode_page(quantized, page, kCount, ScalarType::kFloat, values.data());
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::uint32_t bits = naive_packed(page, i, width);
      ASSERT_EQ(patterns[i], bits << (32 - width)) << width;
      const double exact = -2.5 + bits * 9.5 / (std::pow(2.0, width) - 1);
      ASSERT_NEAR(values[i], exact, 1e-6) << width;
      ASSERT_LE(values[i], 7.0f);
    }
  }
}

TEST(PageEncoding, converts_to_the_type_of_the_field) {
  const std::vector<std::int32_t> stored = {1, 0, 127, 5};
  const auto page = std::as_bytes(std::span(stored));
  std::int8_t narrow[4];
  double real[4];
  decode_page({ColumnType::kInt32, 32}, page, 4, ScalarType::kInt8, narrow);
  decode_page({ColumnType::kInt32, 32}, page, 4, ScalarType::kDouble, real);
  EXPECT_EQ(narrow[2], 127);
  EXPECT_EQ(real[2], 127.0);
  std::uint8_t flags[2];
  decode_page({ColumnType::kInt32, 32}, page, 2, ScalarType::kBool, flags);
  EXPECT_EQ(flags[0], 1);
  EXPECT_EQ(flags[1], 0);
}

TEST(PageEncoding, refuses_what_does_not_fit) {
  const std::vector<std::int32_t> stored = {-1, 300};
  const auto page = std::as_bytes(std::span(stored));
  std::uint64_t target[4];
  const PageEncoding int32{ColumnType::kInt32, 32};
  EXPECT_THROW(decode_page(int32, page, 1, ScalarType::kUInt8, target), FormatError);
  EXPECT_THROW(decode_page(int32, page, 1, ScalarType::kUInt64, target), FormatError);
  EXPECT_THROW(decode_page(int32, page, 2, ScalarType::kInt8, target), FormatError);
  EXPECT_THROW(decode_page(int32, page, 1, ScalarType::kBool, target), FormatError);
  EXPECT_THROW(decode_page(int32, page, 3, ScalarType::kInt32, target), FormatError);
  EXPECT_THROW(decode_page({ColumnType::kInt32, 31}, page, 1, ScalarType::kInt32, target), FormatError);
  EXPECT_THROW(decode_page({ColumnType::kReal32, 32}, page, 1, ScalarType::kInt32, target), FormatError);
  EXPECT_THROW(decode_page({ColumnType::kReal32Trunc, 33}, page, 1, ScalarType::kFloat, target), FormatError);
  EXPECT_THROW(element_type({ColumnType::kSwitch, 96}), FormatError);
  EXPECT_THROW(element_type({static_cast<ColumnType>(0x2A), 32}), FormatError);
  std::byte written[8];
  EXPECT_THROW(encode_page({ColumnType::kReal16, 16}, target, 1, written), FormatError);
}

}  // namespace
}  // namespace skimline::io
