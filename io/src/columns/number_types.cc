// SPDX-License-Identifier: BSD-3-Clause
#include "columns/number_types.h"

#include <algorithm>
#include <type_traits>

namespace skimline::io {
namespace {

bool is_signed(ScalarType type) {
  return visit_scalar(type, [](auto tag) { return std::is_signed_v<typename decltype(tag)::type>; });
}

// The signed integer of twice the size.
std::optional<ScalarType> wider_signed(std::size_t size) {
  switch (size) {
    case 1:
      return ScalarType::kInt16;
    case 2:
      return ScalarType::kInt32;
    case 4:
      return ScalarType::kInt64;
    default:
      return std::nullopt;
  }
}

// Bits of integers that a real of this type holds exactly.
std::size_t exact_bytes(ScalarType real) { return real == ScalarType::kFloat ? 2 : 4; }

std::optional<ScalarType> common_integer(ScalarType a, ScalarType b) {
  if (a == ScalarType::kBool) return b;
  if (b == ScalarType::kBool) return a;
  if (is_signed(a) == is_signed(b)) return size_of(a) >= size_of(b) ? a : b;
  const ScalarType with_sign = is_signed(a) ? a : b, without = is_signed(a) ? b : a;
  return size_of(with_sign) > size_of(without) ? with_sign : wider_signed(size_of(without));
}

}  // namespace

std::optional<ScalarType> common_type(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (!is_number(a) || !is_number(b)) return std::nullopt;
  if (is_floating(a) && is_floating(b)) return ScalarType::kDouble;
  if (!is_floating(a) && !is_floating(b)) return common_integer(a, b);
  const ScalarType real = is_floating(a) ? a : b, integer = is_floating(a) ? b : a;
  if (size_of(integer) <= exact_bytes(real)) return real;
  if (size_of(integer) <= exact_bytes(ScalarType::kDouble)) return ScalarType::kDouble;
  return std::nullopt;
}

void convert(ScalarType from, const void* values, std::size_t count, ScalarType to, void* converted) {
  visit_scalar(from, [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    visit_scalar(to, [&](auto to_tag) {
      using To = typename decltype(to_tag)::type;
      std::transform(static_cast<const From*>(values), static_cast<const From*>(values) + count,
                     static_cast<To*>(converted), [](From value) { return static_cast<To>(value); });
    });
  });
}

}  // namespace skimline::io
