// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/reduced_reals.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace skimline::io {
namespace {

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1F;
  const std::uint32_t mantissa = half & 0x3FF;
  if (exponent == 0) {
    constexpr float kSmallest = 1.0f / 16777216.0f;  // 2^-24
    const float magnitude = static_cast<float>(mantissa) * kSmallest;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFF : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

// Rounds to nearest, ties to even. NaNs stay NaNs, made quiet, with the upper bits of their payload.
std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000) {
    half = 0x7E00 | ((magnitude >> 13) & 0x3FF);
  } else if (magnitude >= 0x47800000) {  // 2^16
    half = 0x7C00;
  } else if (magnitude < 0x38800000) {  // 2^-14: the addition rounds, as 0.5 has the precision of subnormals
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  } else {  // may carry into the exponent, up to infinity
    const std::uint32_t rebiased = magnitude - (112U << 23);
    half = (rebiased + 0xFFF + ((rebiased >> 13) & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

// Calls `take(i, bits)` with each of the packed integers.
template <typename Take>
void unpack(std::size_t width, const std::byte* page, std::size_t num_elements, Take take) {
  const std::size_t size = packed_size(width, num_elements);
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const auto take_one = [&](std::size_t i, std::size_t num_readable) {
    std::uint64_t window = 0;
    std::memcpy(&window, page + i * width / 8, num_readable);
    take(i, static_cast<std::uint32_t>((window >> (i * width % 8)) & mask));
  };
  // Of these, eight bytes can be read.
  const std::size_t num_wide = size < 8 ? 0 : std::min(num_elements, ((size - 7) * 8 - 1) / width + 1);
  for (std::size_t i = 0; i < num_wide; ++i) take_one(i, 8);
  for (std::size_t i = num_wide; i < num_elements; ++i) take_one(i, size - i * width / 8);
}

// Packs the lowest bits of the integers that `bits_of(i)` returns; unused bits of the last byte are zero.
template <typename BitsOf>
void pack(std::size_t width, std::size_t num_elements, std::byte* page, BitsOf bits_of) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint64_t window = 0;
  std::size_t num_bits = 0;
  for (std::size_t i = 0; i < num_elements; ++i) {
    window |= (std::uint64_t{bits_of(i)} & mask) << num_bits;
    num_bits += width;
    if (num_bits < 32) continue;
    std::memcpy(page, &window, 4);
    page += 4;
    window >>= 32;
    num_bits -= 32;
  }
  std::memcpy(page, &window, (num_bits + 7) / 8);
}

double num_steps(const Quantization& quantization) {
  return static_cast<double>((std::uint64_t{1} << quantization.bits) - 1);
}

}  // namespace

void decode_halves(const std::uint16_t* halves, std::size_t num_elements, float* values) {
  std::transform(halves, halves + num_elements, values, half_to_float);
}

void encode_halves(const float* values, std::size_t num_elements, std::byte* page) {
  for (std::size_t i = 0; i < num_elements; ++i) {
    const std::uint16_t half = float_to_half(values[i]);
    std::memcpy(page + i * sizeof half, &half, sizeof half);
  }
}

void unpack_bits(std::size_t width, const std::byte* page, std::size_t num_elements,
                 std::uint32_t* elements) {
  unpack(width, page, num_elements, [&](std::size_t i, std::uint32_t bits) { elements[i] = bits; });
}

void pack_bits(std::size_t width, const std::uint32_t* elements, std::size_t num_elements, std::byte* page) {
  pack(width, num_elements, page, [&](std::size_t i) { return elements[i]; });
}

void decode_truncated(std::size_t width, const std::byte* page, std::size_t num_elements, float* values) {
  const std::size_t shift = 32 - width;
  unpack(width, page, num_elements,
         [&](std::size_t i, std::uint32_t bits) { values[i] = std::bit_cast<float>(bits << shift); });
}

void encode_truncated(std::size_t width, const float* values, std::size_t num_elements, std::byte* page) {
  const std::size_t shift = 32 - width;
  pack(width, num_elements, page,
       [&](std::size_t i) { return std::bit_cast<std::uint32_t>(values[i]) >> shift; });
}

template <typename T>
void decode_quantized(const Quantization& quantization, const std::byte* page, std::size_t num_elements,
                      T* values) {
  const double minimum = quantization.minimum, maximum = quantization.maximum;
  const double scale = (maximum - minimum) / num_steps(quantization);
  unpack(quantization.bits, page, num_elements, [&](std::size_t i, std::uint32_t bits) {
    values[i] = static_cast<T>(std::min(maximum, minimum + bits * scale));
  });
}

// Multiplies by the number of steps over the range, as ROOT does: dividing last would round differently.
template <typename T>
std::optional<std::size_t> encode_quantized(const Quantization& quantization, const T* values,
                                            std::size_t num_elements, std::byte* page) {
  const double min = quantization.minimum, max = quantization.maximum;
  const double scale = num_steps(quantization) / (max - min);
  if (!std::isfinite(max - min) || !std::isfinite(scale) || min >= max)
    throw FormatError("column of type Real32Quant has no range of values");
  const auto is_inside = [&](T value) { return min <= value && value <= max; };
  bool all_inside = true;
  pack(quantization.bits, num_elements, page, [&](std::size_t i) {
    const bool is_held = is_inside(values[i]);
    all_inside &= is_held;
    return static_cast<std::uint32_t>(is_held ? 0.5 + (values[i] - min) * scale : 0.0);
  });
  if (all_inside) return std::nullopt;
  return static_cast<std::size_t>(std::find_if_not(values, values + num_elements, is_inside) - values);
}

template void decode_quantized(const Quantization&, const std::byte*, std::size_t, float*);
template void decode_quantized(const Quantization&, const std::byte*, std::size_t, double*);
template std::optional<std::size_t> encode_quantized(const Quantization&, const float*, std::size_t,
                                                     std::byte*);
template std::optional<std::size_t> encode_quantized(const Quantization&, const double*, std::size_t,
                                                     std::byte*);

}  // namespace skimline::io
