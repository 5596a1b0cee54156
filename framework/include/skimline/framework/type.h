// SPDX-License-Identifier: BSD-3-Clause
// The types that columns and expressions have: a C++ scalar, or lists of it per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace skimline {

/// The scalar types of columns. The order is the order of C++ conversion rank within each kind.
enum class ScalarType : std::uint8_t {
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat,
  kDouble,
};

inline constexpr std::size_t kNumScalarTypes = 11;

/// Carries a C++ type as a value.
template <typename T>
struct TypeTag {
  using type = T;
};

/// Calls `visitor(TypeTag<T>{})` with the C++ type of `scalar`; bool values take one byte, 0 or 1.
template <typename Visitor>
decltype(auto) visit_scalar(ScalarType scalar, Visitor&& visitor) {
  switch (scalar) {
    case ScalarType::kBool:
      return visitor(TypeTag<bool>{});
    case ScalarType::kInt8:
      return visitor(TypeTag<std::int8_t>{});
    case ScalarType::kUInt8:
      return visitor(TypeTag<std::uint8_t>{});
    case ScalarType::kInt16:
      return visitor(TypeTag<std::int16_t>{});
    case ScalarType::kUInt16:
      return visitor(TypeTag<std::uint16_t>{});
    case ScalarType::kInt32:
      return visitor(TypeTag<std::int32_t>{});
    case ScalarType::kUInt32:
      return visitor(TypeTag<std::uint32_t>{});
    case ScalarType::kInt64:
      return visitor(TypeTag<std::int64_t>{});
    case ScalarType::kUInt64:
      return visitor(TypeTag<std::uint64_t>{});
    case ScalarType::kFloat:
      return visitor(TypeTag<float>{});
    case ScalarType::kDouble:
      break;
  }
  return visitor(TypeTag<double>{});
}

/// The ScalarType of a C++ type.
template <typename T>
inline constexpr ScalarType scalar_type_of = [] {
  if constexpr (std::is_same_v<T, bool>)
    return ScalarType::kBool;
  else if constexpr (std::is_same_v<T, float>)
    return ScalarType::kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return ScalarType::kDouble;
  else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8);
    constexpr int rank = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<ScalarType>(1 + 2 * rank + (std::is_unsigned_v<T> ? 1 : 0));
  }
}();

/// Bytes that one value takes in memory.
constexpr std::size_t size_of(ScalarType scalar) {
  constexpr std::size_t kSizes[kNumScalarTypes] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return kSizes[static_cast<std::size_t>(scalar)];
}

constexpr bool is_floating(ScalarType scalar) { return scalar >= ScalarType::kFloat; }

/// Returns the C++ spelling: "bool", "float", "std::int32_t".
std::string_view name_of(ScalarType scalar);

/// A scalar per entry (`depth` 0) or a list of scalars per entry, jagged (`depth` 1).
struct Type {
  ScalarType scalar = ScalarType::kDouble;
  int depth = 0;

  constexpr bool is_jagged() const { return depth > 0; }
  friend constexpr bool operator==(const Type&, const Type&) = default;
};

constexpr Type flat(ScalarType scalar) { return {scalar, 0}; }
constexpr Type jagged(ScalarType scalar) { return {scalar, 1}; }

/// Returns the type as messages show it: "float" or "list of float".
std::string name_of(Type type);

}  // namespace skimline
