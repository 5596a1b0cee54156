// SPDX-License-Identifier: BSD-3-Clause
#include "compression/stored_numbers.h"

#include "skimline/framework/instruction_set.h"

#include <bit>
#include <cstring>

namespace skimline::io {
namespace {

template <typename U>
[[gnu::always_inline]] inline U reversed(U value) {
  if constexpr (sizeof(U) == 2)
    return static_cast<U>(__builtin_bswap16(value));
  else if constexpr (sizeof(U) == 4)
    return __builtin_bswap32(value);
  else
    return __builtin_bswap64(value);
}

template <typename U>
[[gnu::always_inline]] inline U load_big(const std::byte* stored) {
  U value;
  std::memcpy(&value, stored, sizeof(U));
  return reversed(value);
}

template <typename U>
struct SwapBytes {
  [[gnu::always_inline]] static inline void run(const std::byte* const& stored, const std::size_t& count,
                                                U* const& values) {
    const std::byte* const from = stored;
    U* const to = values;
    const std::size_t size = count;
    for (std::size_t i = 0; i < size; ++i) to[i] = load_big<U>(from + i * sizeof(U));
  }
};

void decode_bools(const std::byte* stored, std::size_t count, std::uint8_t* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = stored[i] != std::byte{0} ? 1 : 0;
}

void decode_plain(ScalarType scalar, const std::byte* stored, std::size_t count, void* values) {
  switch (size_of(scalar)) {
    case 1:
      if (scalar == ScalarType::kBool)
        decode_bools(stored, count, static_cast<std::uint8_t*>(values));
      else if (count > 0)
        std::memcpy(values, stored, count);
      return;
    case 2:
      return swap_bytes(stored, count, static_cast<std::uint16_t*>(values));
    case 4:
      return swap_bytes(stored, count, static_cast<std::uint32_t*>(values));
    default:
      return swap_bytes(stored, count, static_cast<std::uint64_t*>(values));
  }
}

template <typename T>
void decode_range(const StoredNumber& number, const std::byte* stored, std::size_t count, T* values) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(number.minimum + load_big<std::uint32_t>(stored + 4 * i) / number.steps);
}

template <typename T>
void decode_truncated(int bits, const std::byte* stored, std::size_t count, T* values) {
  const std::uint32_t sign = std::uint32_t{1} << (bits + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto exponent = std::to_integer<std::uint32_t>(stored[3 * i]);
    const std::uint32_t mantissa = load_big<std::uint16_t>(stored + 3 * i + 1);
    const std::uint32_t magnitude = (exponent << 23) | ((mantissa & (sign - 1)) << (23 - bits));
    const float value = std::bit_cast<float>(magnitude);
    values[i] = static_cast<T>((mantissa & sign) != 0 ? -value : value);
  }
}

template <typename T>
void decode_reals(const StoredNumber& number, const std::byte* stored, std::size_t count, T* values) {
  switch (number.encoding) {
    case StoredNumber::Encoding::kRange:
      return decode_range(number, stored, count, values);
    case StoredNumber::Encoding::kTruncated:
      return decode_truncated(number.bits, stored, count, values);
    default:
      for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(std::bit_cast<float>(load_big<std::uint32_t>(stored + 4 * i)));
  }
}

}  // namespace

std::size_t StoredNumber::stored_size() const {
  switch (encoding) {
    case Encoding::kPlain:
      return size_of(scalar);
    case Encoding::kTruncated:
      return 3;
    default:
      return 4;
  }
}

template <typename U>
void swap_bytes(const std::byte* stored, std::size_t count, U* values) {
  run_kernel<SwapBytes<U>>(stored, count, values);
}
template void swap_bytes(const std::byte*, std::size_t, std::uint16_t*);
template void swap_bytes(const std::byte*, std::size_t, std::uint32_t*);
template void swap_bytes(const std::byte*, std::size_t, std::uint64_t*);

void decode_numbers(const StoredNumber& number, const std::byte* stored, std::size_t count, void* values) {
  if (number.encoding == StoredNumber::Encoding::kPlain)
    decode_plain(number.scalar, stored, count, values);
  else if (number.scalar == ScalarType::kFloat)
    decode_reals(number, stored, count, static_cast<float*>(values));
  else
    decode_reals(number, stored, count, static_cast<double*>(values));
}

}  // namespace skimline::io
