// SPDX-License-Identifier: BSD-3-Clause
// The checksum of bench/read: the sum of the bit patterns of all values of a column, modulo 2^64. It does not
// depend on the order, costs one addition per value and differs if a bit of one value differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

template <typename T>
std::uint64_t bit_sum(const T* values, std::size_t count) {
  using Bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, values + i, sizeof bits);
    sum += bits;
  }
  return sum;
}
