// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/framework/type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skimline {

/// One value of a scalar type.
struct Constant {
  ScalarType scalar = ScalarType::kDouble;
  alignas(8) std::array<std::byte, 8> bytes{};  ///< the value, then zeros

  template <typename T>
  static Constant of(T value) {
    Constant constant{scalar_type_of<T>, {}};
    std::memcpy(constant.bytes.data(), &value, sizeof value);
    return constant;
  }
  std::uint64_t bits() const {
    std::uint64_t bits;
    std::memcpy(&bits, bytes.data(), sizeof bits);
    return bits;
  }
  friend bool operator==(const Constant&, const Constant&) = default;
};

}  // namespace skimline
