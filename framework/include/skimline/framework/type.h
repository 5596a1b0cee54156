// SPDX-License-Identifier: BSD-3-Clause
// The types that columns and expressions have: a scalar per entry, a list of them, or a list of lists.
#pragma once

#include "skimline/framework/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace skimline {

/// Momentum and energy in Cartesian components, in the unit of the input, usually GeV.
struct LorentzVector {
  double x = 0, y = 0, z = 0, energy = 0;
};

/// The types of single values. Numbers come first, in the order of C++ conversion rank.
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
  kString,         ///< std::string_view in memory
  kLorentzVector,  ///< LorentzVector in memory; computed, never stored
};

/// Values of ScalarType.
inline constexpr std::size_t kNumScalarTypes = 13;

/// What kind of value it is; bool counts as a number and an integer.
constexpr bool is_number(ScalarType scalar) { return scalar <= ScalarType::kDouble; }
constexpr bool is_floating(ScalarType scalar) {
  return scalar == ScalarType::kFloat || scalar == ScalarType::kDouble;
}
constexpr bool is_integer(ScalarType scalar) { return scalar < ScalarType::kFloat; }

/// Carries a C++ type as a value.
template <typename T>
struct TypeTag {
  using type = T;  ///< the type
};

/// Calls `visitor(TypeTag<T>{})` with the C++ type of `scalar`, a number; bool values take one byte, 0 or 1.
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
      return visitor(TypeTag<double>{});
    default:
      throw InternalError("a number was expected");
  }
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
  else if constexpr (std::is_same_v<T, std::string_view>)
    return ScalarType::kString;
  else if constexpr (std::is_same_v<T, LorentzVector>)
    return ScalarType::kLorentzVector;
  else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8);
    constexpr int rank = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<ScalarType>(1 + 2 * rank + (std::is_unsigned_v<T> ? 1 : 0));
  }
}();

/// Bytes that one value takes in memory.
constexpr std::size_t size_of(ScalarType scalar) {
  constexpr std::size_t kSizes[kNumScalarTypes] = {
      1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(std::string_view), sizeof(LorentzVector)};
  return kSizes[static_cast<std::size_t>(scalar)];
}

/// Returns the C++ spelling, "bool", "float", "std::int32_t", and "string" and "Lorentz vector".
std::string_view name_of(ScalarType scalar);

/// The deepest nesting of lists.
inline constexpr int kMaxDepth = 3;

/// A scalar per entry (`depth` 0), a list of scalars, jagged (1), a list of lists, doubly jagged (2), or a
/// list of lists of lists (3).
struct Type {
  ScalarType scalar = ScalarType::kDouble;
  int depth = 0;

  /// Whether an entry has a list, of scalars or of lists.
  constexpr bool is_jagged() const { return depth > 0; }
  friend constexpr bool operator==(const Type&, const Type&) = default;
};

/// Types of one value, a list, a list of lists, or a list of these for each entry.
constexpr Type flat(ScalarType scalar) { return {scalar, 0}; }
constexpr Type jagged(ScalarType scalar) { return {scalar, 1}; }
constexpr Type doubly_jagged(ScalarType scalar) { return {scalar, 2}; }
constexpr Type triply_jagged(ScalarType scalar) { return {scalar, 3}; }

/// Returns the type as messages show it: "float", "list of float" or "list of lists of float".
std::string name_of(Type type);

}  // namespace skimline
