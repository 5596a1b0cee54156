// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles without any rounding: the judge of sums that round.
#pragma once

#include <array>
#include <cstdint>

namespace skimline::histograms::testing {

/// An exact sum of up to 2^30 finite doubles, as a fixed-point number with all bits that doubles have.
class BigSum {
 public:
  void add(double value);

  /// The sum minus `value`, rounded to a long double, whose exponents reach beyond those of doubles.
  long double minus(double value) const;

 private:
  // From 2^-1074 to beyond 2^1024, in digits of 32 bits; carries wait until the sum is read.
  static constexpr int kDigits = 68;
  std::array<std::int64_t, kDigits> digits_{};
};

}  // namespace skimline::histograms::testing
