// SPDX-License-Identifier: BSD-3-Clause
// One value of any scalar type.
#pragma once

#include "skimline/framework/type.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace skimline {

/// One value of a scalar type. A string's characters live elsewhere, see Graph::intern.
struct Constant {
  ScalarType scalar = ScalarType::kDouble;
  alignas(8) std::array<std::byte, sizeof(LorentzVector)> bytes{};  ///< the value, then zeros

  template <typename T>
  static Constant of(T value) {
    Constant constant{scalar_type_of<T>, {}};
    std::memcpy(constant.bytes.data(), &value, sizeof value);
    return constant;
  }
  template <typename T>
  T as() const {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  friend bool operator==(const Constant&, const Constant&) = default;
};

}  // namespace skimline
