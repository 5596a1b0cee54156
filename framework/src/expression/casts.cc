// SPDX-License-Identifier: BSD-3-Clause
#include "expression/casts.h"

#include <utility>

namespace skimline {

std::optional<ScalarType> cast_target(std::string_view name) {
  static constexpr std::pair<std::string_view, ScalarType> kCasts[] = {
      {"bool", ScalarType::kBool},       {"int8_t", ScalarType::kInt8},     {"uint8_t", ScalarType::kUInt8},
      {"short", ScalarType::kInt16},     {"int16_t", ScalarType::kInt16},   {"uint16_t", ScalarType::kUInt16},
      {"int", ScalarType::kInt32},       {"int32_t", ScalarType::kInt32},   {"unsigned", ScalarType::kUInt32},
      {"uint32_t", ScalarType::kUInt32}, {"long", ScalarType::kInt64},      {"int64_t", ScalarType::kInt64},
      {"size_t", ScalarType::kUInt64},   {"uint64_t", ScalarType::kUInt64}, {"float", ScalarType::kFloat},
      {"double", ScalarType::kDouble},
  };
  for (const auto& [spelling, scalar] : kCasts)
    if (spelling == name) return scalar;
  return std::nullopt;
}

}  // namespace skimline
