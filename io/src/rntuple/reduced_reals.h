// SPDX-License-Identifier: BSD-3-Clause
// Reals of fewer bits than a float, and integers packed without gaps, the first one into the lowest bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace skimline::io {

void decode_halves(const std::uint16_t* halves, std::size_t num_elements, float* values);

/// Rounds to the nearest, ties to even.
void encode_halves(const float* values, std::size_t num_elements, std::byte* page);

/// Bytes of integers of `width` (1 to 64) bits each.
constexpr std::size_t packed_size(std::size_t width, std::size_t num_elements) {
  return num_elements / 8 * width + (num_elements % 8 * width + 7) / 8;
}

/// Integers of `width` (1 to 32) bits each.
void unpack_bits(std::size_t width, const std::byte* page, std::size_t num_elements, std::uint32_t* elements);
void pack_bits(std::size_t width, const std::uint32_t* elements, std::size_t num_elements, std::byte* page);

/// The first `width` bits of each real.
void decode_truncated(std::size_t width, const std::byte* page, std::size_t num_elements, float* values);
void encode_truncated(std::size_t width, const float* values, std::size_t num_elements, std::byte* page);

/// Reals as numbers of steps of equal size, from 0 at the minimum to all `bits` set at the maximum.
struct Quantization {
  std::size_t bits = 32;
  double minimum = 0, maximum = 0;
};

/// T: float or double.
template <typename T>
void decode_quantized(const Quantization& quantization, const std::byte* page, std::size_t num_elements,
                      T* values);

/// Returns which value is the first out of the range; nothing if all are inside. Throws FormatError if there
/// is no range.
template <typename T>
std::optional<std::size_t> encode_quantized(const Quantization& quantization, const T* values,
                                            std::size_t num_elements, std::byte* page);

}  // namespace skimline::io
