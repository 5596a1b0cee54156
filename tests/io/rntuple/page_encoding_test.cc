// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/page_encoding.h"

#include "compression/byte_planes.h"

#include "skimline/io/format_error.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
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
      encode_page(encoding, element_type(encoding), decoded.data(), count, again.data());
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
    encode_page(encoding, ScalarType::kBool, values.data(), count, again.data());
    EXPECT_EQ(again, page);
  }
}

TEST(PageEncoding, index32_widens_and_sums_modulo_32_bits) {
  const std::vector<std::uint64_t> ends = {0, 3, 3, 0xFFFFFFFF};
  for (const ColumnType type : {ColumnType::kIndex32, ColumnType::kSplitIndex32}) {
    Bytes page(16);
    encode_page({type, 32}, ScalarType::kUInt64, ends.data(), 4, page.data());
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
}

std::vector<std::uint16_t> halves_of(const std::vector<float>& values) {
  std::vector<std::uint16_t> halves(values.size());
  encode_page({ColumnType::kReal16, 16}, ScalarType::kFloat, values.data(), values.size(),
              reinterpret_cast<std::byte*>(halves.data()));
  return halves;
}

TEST(PageEncoding, every_half_precision_number_is_encoded_as_itself) {
  std::vector<float> values(65536);
  for (unsigned i = 0; i < 65536; ++i) values[i] = naive_half(i);
  const std::vector<std::uint16_t> halves = halves_of(values);
  for (unsigned i = 0; i < 65536; ++i) {
    const bool is_nan = (i & 0x7C00) == 0x7C00 && (i & 0x3FF) != 0;
    if (is_nan) {
      ASSERT_EQ(halves[i] & 0x7E00, 0x7E00) << i;
    } else {
      ASSERT_EQ(halves[i], i) << i;
    }
  }
  EXPECT_EQ(halves_of({std::bit_cast<float>(0xFFA00000)})[0], 0xFF00);  // signalling, with a payload
  EXPECT_EQ(halves_of({std::bit_cast<float>(0x7F800001)})[0], 0x7E00);
}

// The half-precision number nearest to a positive one, by bisection: of two as near, the one with an even
// pattern. 65536 stands for infinity.
std::uint16_t naive_nearest_half(float value) {
  unsigned below = 0, above = 0x7C00;
  while (above - below > 1) {
    const unsigned middle = (below + above) / 2;
    (naive_half(middle) <= value ? below : above) = middle;
  }
  const double low = naive_half(below), high = above == 0x7C00 ? 65536.0 : naive_half(above);
  const double doubled = 2.0 * value;
  if (doubled < low + high) return static_cast<std::uint16_t>(below);
  if (doubled > low + high) return static_cast<std::uint16_t>(above);
  return static_cast<std::uint16_t>(below % 2 == 0 ? below : above);
}

TEST(PageEncoding, floats_round_to_the_nearest_half_precision_number) {
  std::vector<float> values = {0.0f, 65504.0f, 65519.99f, 65520.0f, 65536.0f, 1e30f, INFINITY, 0x1p-25f};
  for (unsigned half = 0; half < 0x7C00; ++half) {  // ties, and what is next to them
    const double high = half + 1 == 0x7C00 ? 65536.0 : naive_half(half + 1);
    const auto tie = static_cast<float>((naive_half(half) + high) / 2);
    values.insert(values.end(), {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY)});
  }
  std::mt19937 generator(1);
  for (int i = 0; i < 100000; ++i) {
    const auto exponent = static_cast<std::uint32_t>(127 - 30 + generator() % 48);
    const auto mantissa = static_cast<std::uint32_t>(generator() & 0x7FFFFF);
    values.push_back(std::bit_cast<float>(exponent << 23 | mantissa));
  }
  const std::vector<std::uint16_t> halves = halves_of(values);
  std::vector<float> negative(values);
  for (float& value : negative) value = -value;
  const std::vector<std::uint16_t> negative_halves = halves_of(negative);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], naive_nearest_half(values[i])) << values[i];
    ASSERT_EQ(negative_halves[i], halves[i] | 0x8000) << values[i];
  }
}

template <typename T>
Bytes encoded(const PageEncoding& encoding, const std::vector<T>& values) {
  Bytes page(encoded_size(encoding, values.size()), std::byte{0xFF});
  encode_page(encoding, scalar_type_of<T>, values.data(), values.size(), page.data());
  return page;
}

// Whether the bits behind the last element are zero.
void expect_canonical_end(const Bytes& page, std::size_t num_bits) {
  for (std::size_t bit = num_bits; bit < 8 * page.size(); ++bit)
    ASSERT_EQ(std::to_integer<int>(page[bit / 8]) >> bit % 8 & 1, 0) << bit;
}

template <typename T>
void expect_reals_are_reduced(std::uint16_t width, std::size_t count) {
  std::mt19937 generator(width);
  std::uniform_real_distribution<double> in_range(-2.5, 7.0);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(in_range(generator));
  if (count > 1) values[1] = static_cast<T>(7.0);
  values[0] = static_cast<T>(-2.5);
  const Bytes truncated = encoded({ColumnType::kReal32Trunc, width}, values);
  const Bytes quantized = encoded({ColumnType::kReal32Quant, width, -2.5, 7.0}, values);
  for (std::size_t i = 0; i < count; ++i) {
    const auto pattern = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
    ASSERT_EQ(naive_packed(truncated, i, width), pattern >> (32 - width)) << width << " " << i;
    const double steps = std::pow(2.0, width) - 1;
    const double level = std::trunc(0.5 + (values[i] - -2.5) * (steps / 9.5));
    ASSERT_EQ(naive_packed(quantized, i, width), level) << width << " " << i;
  }
  expect_canonical_end(truncated, count * width);
  expect_canonical_end(quantized, count * width);
}

TEST(PageEncoding, encodes_truncated_and_quantized_reals_of_every_width) {
  for (std::uint16_t width = 1; width <= 32; ++width) {
    for (const std::size_t count : {1, 2, 7, 8, 37, 1000}) {
      expect_reals_are_reduced<float>(width, count);
      expect_reals_are_reduced<double>(width, count);
    }
  }
}

TEST(PageEncoding, quantized_doubles_keep_their_precision) {
  const PageEncoding encoding{ColumnType::kReal32Quant, 32, -2.5, 7.0};
  const std::vector<double> values = {-2.5, 0.1, 3.14159265358979, 7.0};
  std::vector<double> decoded(values.size());
  decode_page(encoding, encoded(encoding, values), values.size(), ScalarType::kDouble, decoded.data());
  const double step = 9.5 / 4294967295.0;
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(decoded[i], values[i], 0.5001 * step);
}

// The upper end is no step too far, wherever rounding leads: what was read can be written again.
TEST(PageEncoding, quantized_doubles_stay_in_their_range) {
  std::mt19937_64 generator(8);
  std::uniform_real_distribution<double> ends(-1, 1);
  int num_beyond = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto bits = static_cast<std::uint16_t>(1 + round % 32);
    const double low = ends(generator), high = low + 1 + ends(generator);
    const double steps = std::ldexp(1, bits) - 1;
    num_beyond += low + steps * ((high - low) / steps) > high ? 1 : 0;
    const PageEncoding encoding{ColumnType::kReal32Quant, bits, low, high};
    const Bytes page = encoded<double>(encoding, {low, high});
    std::vector<double> decoded(2);
    decode_page(encoding, page, 2, ScalarType::kDouble, decoded.data());
    EXPECT_EQ(decoded[0], low);
    EXPECT_LE(decoded[1], high);
    EXPECT_EQ(encoded(encoding, decoded), page);
  }
  EXPECT_GT(num_beyond, 0);
}

TEST(PageEncoding, doubles_become_floats_first) {
  std::mt19937_64 generator(5);
  std::vector<double> values = {0.0, -0.0, 1.0 + 0x1p-11 + 0x1p-40, 1e300, -1e300, 1e-300, 65520.0, NAN};
  for (int i = 0; i < 1000; ++i)
    values.push_back(std::ldexp(static_cast<double>(generator() % 1000003), -static_cast<int>(i % 40)));
  std::vector<float> floats;
  for (const double value : values) floats.push_back(static_cast<float>(value));
  for (const PageEncoding& encoding :
       {PageEncoding{ColumnType::kReal32, 32}, PageEncoding{ColumnType::kSplitReal32, 32},
        PageEncoding{ColumnType::kReal16, 16}, PageEncoding{ColumnType::kReal32Trunc, 11}})
    EXPECT_EQ(encoded(encoding, values), encoded(encoding, floats)) << column_type_name(encoding.type);
}

template <typename T>
std::size_t element_out_of_range(const PageEncoding& encoding, const std::vector<T>& values) {
  try {
    encoded(encoding, values);
  } catch (const ValueRangeError& error) {
    return error.element();
  }
  return values.size();
}

TEST(PageEncoding, refuses_to_encode_what_the_column_cannot_hold) {
  const PageEncoding quantized{ColumnType::kReal32Quant, 8, -1, 1};
  EXPECT_EQ(element_out_of_range<float>(quantized, {-1, 0, 1}), 3);
  EXPECT_EQ(element_out_of_range<float>(quantized, {0, 1.0000001f, NAN}), 1);
  EXPECT_EQ(element_out_of_range<double>(quantized, {-1, 1, NAN}), 2);
  EXPECT_EQ(element_out_of_range<double>(quantized, {-INFINITY}), 0);
  EXPECT_EQ(element_out_of_range<double>(quantized, {0, 0, 1.0000000000000002}), 2);
  for (const ColumnType type : {ColumnType::kIndex32, ColumnType::kSplitIndex32}) {
    EXPECT_EQ(element_out_of_range<std::uint64_t>({type, 32}, {0, 0xFFFFFFFF}), 2);
    EXPECT_EQ(element_out_of_range<std::uint64_t>({type, 32}, {0, 0x100000000, 0x200000000}), 1);
  }
  try {
    encoded<float>(quantized, {0, 0, 2.5});
    FAIL();
  } catch (const ValueRangeError& error) {
    EXPECT_STREQ(error.what(), "element 2 is 2.5, outside [-1, 1], the values that the column can hold");
  }
}

TEST(PageEncoding, refuses_impossible_encodings_and_sources) {
  const std::vector<double> real = {1};
  const std::vector<float> single = {1};
  const std::vector<std::uint64_t> whole = {1};
  EXPECT_THROW(encoded<double>({ColumnType::kReal32Quant, 8, 1, 1}, real), FormatError);
  EXPECT_THROW(encoded<double>({ColumnType::kReal32Quant, 8, 2, 1}, real), FormatError);
  EXPECT_THROW(encoded<double>({ColumnType::kReal32Quant, 8, -1.7e308, 1.7e308}, real), FormatError);
  EXPECT_THROW(encoded<double>({ColumnType::kReal32Quant, 8, 0, NAN}, real), FormatError);
  EXPECT_THROW(encoded<float>({ColumnType::kReal32Trunc, 33}, single), FormatError);
  EXPECT_THROW(encoded<float>({ColumnType::kReal32Trunc, 0}, single), FormatError);
  EXPECT_THROW(encoded<float>({ColumnType::kSplitReal16, 16}, single), FormatError);
  EXPECT_THROW(encoded<float>({ColumnType::kReal64, 64}, single), InternalError);
  EXPECT_THROW(encoded<double>({ColumnType::kUInt64, 64}, real), InternalError);
  EXPECT_THROW(encoded<std::uint64_t>({ColumnType::kReal32, 32}, whole), InternalError);
  EXPECT_THROW(encoded<std::uint64_t>({ColumnType::kSwitch, 96}, whole), FormatError);
}

Bytes decoded_raw(const PageEncoding& encoding, const Bytes& page, std::size_t count) {
  Bytes elements(count * raw_element_size(encoding));
  decode_raw_page(encoding, page, count, elements.data());
  return elements;
}

TEST(PageEncoding, raw_elements_of_every_type_are_encoded_back_to_the_same_bytes) {
  for (std::uint16_t type = 0; type <= 0x1D; ++type) {
    const std::optional<std::uint16_t> fixed = fixed_bits(static_cast<ColumnType>(type));
    for (std::uint16_t bits = fixed.value_or(1); bits <= fixed.value_or(32); ++bits) {
      const PageEncoding encoding{static_cast<ColumnType>(type), bits, -1, 1};
      for (const std::size_t count : {0, 1, 7, 8, 9, 37, 2051}) {
        const std::size_t num_bits = count * bits;
        Bytes page = random_bytes(encoded_size(encoding, count), type);
        ASSERT_EQ(page.size(), (num_bits + 7) / 8);
        if (num_bits % 8 != 0) page.back() &= static_cast<std::byte>((1 << num_bits % 8) - 1);
        const Bytes elements = decoded_raw(encoding, page, count);
        Bytes again(page.size(), std::byte{0xFF});
        encode_raw_page(encoding, elements.data(), count, again.data());
        ASSERT_EQ(again, page) << column_type_name(encoding.type) << " of " << bits << " bits, " << count;
      }
    }
  }
}

TEST(PageEncoding, raw_elements_are_the_decoded_ones_where_nothing_is_reduced) {
  for (const WordCase& test : kWordCases) {
    const PageEncoding encoding{test.type, static_cast<std::uint16_t>(8 * test.width)};
    const Bytes page = random_bytes(1100 * test.width, 3);
    Bytes decoded(page.size());
    decode_page(encoding, page, 1100, element_type(encoding), decoded.data());
    EXPECT_EQ(decoded_raw(encoding, page, 1100), decoded) << column_type_name(test.type);
  }
}

TEST(PageEncoding, raw_elements_of_reduced_reals_and_indexes_are_their_bits) {
  const Bytes page = random_bytes(4 * 37, 9);
  const auto element = [](const Bytes& elements, std::size_t i, std::size_t width) {
    return naive_word(elements, 0, i, width, false);
  };
  for (const ColumnType type : {ColumnType::kReal32Trunc, ColumnType::kReal32Quant})
    for (std::uint16_t width = 1; width <= 32; ++width)
      for (std::size_t i = 0; i < 37; ++i)
        ASSERT_EQ(element(decoded_raw({type, width, 0, 1}, page, 37), i, 4), naive_packed(page, i, width));
  for (std::size_t i = 0; i < 37; ++i) {
    EXPECT_EQ(element(decoded_raw({ColumnType::kReal16, 16}, page, 37), i, 2), element(page, i, 2));
    EXPECT_EQ(element(decoded_raw({ColumnType::kSplitReal16, 16}, page, 37), i, 2),
              naive_word(page, 37, i, 2, true));
    EXPECT_EQ(element(decoded_raw({ColumnType::kIndex32, 32}, page, 37), i, 8), element(page, i, 4));
  }
}

TEST(PageEncoding, raw_elements_of_variants_take_twelve_bytes_in_pages) {
  const PageEncoding encoding{ColumnType::kSwitch, 96};
  const SwitchElement elements[] = {{0x0807060504030201, 0x0C0B0A09, 0}, {7, 0, 0}, {8, 2, 0}};
  Bytes page(encoded_size(encoding, 3));
  ASSERT_EQ(page.size(), 36);
  encode_raw_page(encoding, elements, 3, page.data());
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(page[i], static_cast<std::byte>(i + 1));
  EXPECT_EQ(page[12], std::byte{7});
  SwitchElement decoded[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  decode_raw_page(encoding, page, 3, decoded);
  EXPECT_EQ(std::memcmp(decoded, elements, sizeof elements), 0);
}

TEST(PageEncoding, unused_bits_of_a_page_are_ignored) {
  const PageEncoding bit{ColumnType::kBit, 1}, truncated{ColumnType::kReal32Trunc, 11};
  const Bytes page(4, std::byte{0xFF});
  EXPECT_EQ(decoded_raw(bit, page, 3), Bytes(3, std::byte{1}));
  Bytes again(1);
  encode_raw_page(bit, decoded_raw(bit, page, 3).data(), 3, again.data());
  EXPECT_EQ(again[0], std::byte{7});
  EXPECT_EQ(naive_word(decoded_raw(truncated, page, 2), 0, 1, 4, false), 0x7FF);
}

TEST(PageEncoding, refuses_raw_pages_that_are_short_and_types_that_are_unknown) {
  const PageEncoding unknown{static_cast<ColumnType>(0x2A), 32};
  const Bytes page(11);
  SwitchElement element;
  EXPECT_THROW(decode_raw_page({ColumnType::kSwitch, 96}, page, 1, &element), FormatError);
  EXPECT_THROW(decode_raw_page({ColumnType::kReal16, 15}, page, 1, &element), FormatError);
  EXPECT_THROW(decode_raw_page({ColumnType::kReal32Trunc, 33}, page, 1, &element), FormatError);
  EXPECT_THROW(decode_raw_page(unknown, page, 1, &element), FormatError);
  EXPECT_THROW(raw_element_size(unknown), FormatError);
  Bytes written(12);
  EXPECT_THROW(encode_raw_page(unknown, &element, 1, written.data()), FormatError);
  const std::uint64_t large = std::uint64_t{1} << 32;
  EXPECT_THROW(encode_raw_page({ColumnType::kIndex32, 32}, &large, 1, written.data()), ValueRangeError);
}

}  // namespace
}  // namespace skimline::io
