// SPDX-License-Identifier: BSD-3-Clause
// Power series whose first coefficients are DoubleDoubles and whose others are doubles.
#pragma once

#include "maths/double_double.h"

#include <cstddef>

namespace skimline {

/// The sum of coefficient i times x^i, by Horner's scheme: `narrow` continues `wide`.
template <std::size_t kWide, std::size_t kNarrow>
struct Series {
  DoubleDouble wide[kWide];
  double narrow[kNarrow];

  DoubleDouble operator()(const DoubleDouble& x) const {
    double tail = narrow[kNarrow - 1];
    for (std::size_t i = kNarrow - 1; i-- > 0;) tail = tail * x.high + narrow[i];
    DoubleDouble sum = wide[kWide - 1] + tail * x.high;
    for (std::size_t i = kWide - 1; i-- > 0;) sum = wide[i] + sum * x;
    return sum;
  }
};

/// The series of coefficients that `coefficient(i)` gives as DoubleDouble.
template <std::size_t kWide, std::size_t kNarrow, typename Coefficient>
constexpr Series<kWide, kNarrow> make_series(Coefficient coefficient) {
  Series<kWide, kNarrow> series{};
  for (std::size_t i = 0; i < kWide; ++i) series.wide[i] = coefficient(static_cast<int>(i));
  for (std::size_t i = 0; i < kNarrow; ++i) series.narrow[i] = coefficient(static_cast<int>(kWide + i)).high;
  return series;
}

/// a / b of integers.
constexpr DoubleDouble fraction(double a, double b) { return DoubleDouble{a} / DoubleDouble{b}; }

constexpr DoubleDouble inverse_factorial(int n) {
  DoubleDouble result{1};
  for (int i = 2; i <= n; ++i) result = result / DoubleDouble{static_cast<double>(i)};
  return result;
}

}  // namespace skimline
