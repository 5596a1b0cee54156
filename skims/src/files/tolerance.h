// SPDX-License-Identifier: BSD-3-Clause
// When two numbers count as equal.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace skimline::skims {

/// Equal are numbers with ==, so that both zeros are, any two that are none (NaN), and those that differ by
/// no more than is allowed. Infinities equal only themselves.
class Tolerance {
 public:
  /// A part of the larger one, and steps from one number of the type to the next.
  Tolerance(double relative, std::uint64_t ulps) : relative_(relative), ulps_(ulps) {}

  double relative() const { return relative_; }
  bool is_none() const { return relative_ == 0 && ulps_ == 0; }

  template <std::floating_point T>
  bool are_equal(T left, T right) const {
    if (left == right || (std::isnan(left) && std::isnan(right))) return true;
    if (!std::isfinite(left) || !std::isfinite(right)) return false;
    const double a = left, b = right;
    if (std::abs(a - b) <= relative_ * std::max(std::abs(a), std::abs(b))) return true;
    const auto steps =
        static_cast<std::uint64_t>(order_of(left)) - static_cast<std::uint64_t>(order_of(right));
    return std::min(steps, std::uint64_t{0} - steps) <= ulps_;
  }
  /// Integers and texts are equal or not.
  template <typename T>
  requires(!std::floating_point<T>) bool are_equal(const T& left, const T& right) const {
    return left == right;
  }

 private:
  // Numbers by their order, negative ones too: what follows each other differs by one.
  template <std::floating_point T>
  static std::int64_t order_of(T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Unsigned = std::make_unsigned_t<Bits>;
    const auto bits = std::bit_cast<Bits>(value);
    return bits < 0 ? -static_cast<std::int64_t>(static_cast<Unsigned>(bits) &
                                                 ~(Unsigned{1} << (8 * sizeof(T) - 1)))
                    : bits;
  }

  double relative_;
  std::uint64_t ulps_;
};

}  // namespace skimline::skims
