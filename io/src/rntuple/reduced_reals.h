// SPDX-License-Identifier: BSD-3-Clause
// Reals of fewer bits than a float, and integers packed without gaps, the first one into the lowest bits.
#pragma once

#include "skimline/io/page_encoding.h"

#include <cstddef>
#include <cstdint>

namespace skimline::io {

void decode_halves(const std::uint16_t* halves, std::size_t num_elements, float* values);

/// Rounds to the nearest, ties to even.
void encode_halves(const float* values, std::size_t num_elements, std::byte* page);

/// The stored bits of Real32Trunc and Real32Quant, `encoding.bits` (1 to 32) of each element.
void unpack_bits(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                 std::uint32_t* elements);
void pack_bits(const PageEncoding& encoding, const std::uint32_t* elements, std::size_t num_elements,
               std::byte* page);

void decode_truncated(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                      float* values);
void encode_truncated(const PageEncoding& encoding, const float* values, std::size_t num_elements,
                      std::byte* page);

/// T: float or double.
template <typename T>
void decode_quantized(const PageEncoding& encoding, const std::byte* page, std::size_t num_elements,
                      T* values);

/// Throws ValueRangeError for a value out of the range, FormatError where the encoding has no range.
template <typename T>
void encode_quantized(const PageEncoding& encoding, const T* values, std::size_t num_elements,
                      std::byte* page);

}  // namespace skimline::io
