// SPDX-License-Identifier: BSD-3-Clause
// Split encoding: byte b of element i is at position b * n + i of the page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skimline::io {

/// Gathers elements from byte planes that begin `stride` bytes apart. U: std::uint16_t, uint32_t or uint64_t.
template <typename U>
void join_planes(const std::byte* planes, std::size_t stride, std::size_t num_elements, U* elements);

/// Spreads elements over byte planes that begin `stride` bytes apart.
template <typename U>
void split_planes(const U* elements, std::size_t num_elements, std::size_t stride, std::byte* planes);

/// The same as plain loops: what is left of the vector loops, and what they are tested against.
template <typename U>
void join_planes_plainly(const std::byte* planes, std::size_t stride, std::size_t first, std::size_t last,
                         U* elements) {
  for (std::size_t i = first; i < last; ++i) {
    U value = 0;
    for (std::size_t b = 0; b < sizeof(U); ++b)
      value = static_cast<U>(value | static_cast<U>(static_cast<U>(planes[b * stride + i]) << (8 * b)));
    elements[i] = value;
  }
}

template <typename U>
void split_planes_plainly(const U* elements, std::size_t first, std::size_t last, std::size_t stride,
                          std::byte* planes) {
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t b = 0; b < sizeof(U); ++b)
      planes[b * stride + i] = static_cast<std::byte>(elements[i] >> (8 * b));
}

}  // namespace skimline::io
