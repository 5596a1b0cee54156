// SPDX-License-Identifier: BSD-3-Clause
// Numbers as ROOT streams them, big-endian or reduced, and how they become values.
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace skimline::io {

/// How one number is stored.
struct StoredNumber {
  enum class Encoding : std::uint8_t {
    kPlain,      ///< big-endian; any byte that is not 0 is a true bool
    kNarrow,     ///< a double as a float
    kRange,      ///< 32 bits that count steps from the lower end of a range
    kTruncated,  ///< exponent in a byte, mantissa and sign in two
  };
  ScalarType scalar = ScalarType::kFloat;  ///< in memory; kFloat or kDouble unless plain
  Encoding encoding = Encoding::kPlain;
  int bits = 0;        ///< of the mantissa, if truncated
  double minimum = 0;  ///< of the range
  double steps = 1;    ///< for each unit of the range

  std::size_t stored_size() const;
  friend bool operator==(const StoredNumber&, const StoredNumber&) = default;
};

/// How Float16_t (`is_half`) or Double32_t is stored, by the text that may hold "[min,max,bits]": the title
/// of a leaf or the comment of a member.
StoredNumber reduced_number(bool is_half, std::string_view text);

/// Fills `values` from `count` stored numbers.
void decode_numbers(const StoredNumber& number, const std::byte* stored, std::size_t count, void* values);

/// Reverses the bytes of each number. U: std::uint16_t, uint32_t or uint64_t. `stored` need not be aligned.
template <typename U>
void swap_bytes(const std::byte* stored, std::size_t count, U* values);

}  // namespace skimline::io
