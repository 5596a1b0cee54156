// SPDX-License-Identifier: BSD-3-Clause
#include "big_sum.h"

#include <cmath>

namespace skimline::histograms::testing {
namespace {

constexpr int kLowestExponent = -1074;
constexpr int kDigitBits = 32;
constexpr std::int64_t kDigit = std::int64_t{1} << kDigitBits;

// Moves what is beyond a digit to the next; all but the last are from 0 to kDigit - 1 then.
template <typename Digits>
void carry(Digits& digits) {
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    const std::int64_t carried = digits[i] >> kDigitBits;
    digits[i] -= carried * kDigit;
    digits[i + 1] += carried;
  }
}

}  // namespace

void BigSum::add(double value) {
  if (value == 0) return;
  const int exponent = std::max(std::ilogb(value) - 52, kLowestExponent);
  auto mantissa = static_cast<std::uint64_t>(std::fabs(std::scalbn(value, -exponent)));
  const int shift = exponent - kLowestExponent, in_digit = shift % kDigitBits;
  const int sign = value < 0 ? -1 : 1;
  auto digit = static_cast<std::size_t>(shift / kDigitBits);
  digits_[digit++] += sign * static_cast<std::int64_t>((mantissa << in_digit) & (kDigit - 1));
  for (mantissa >>= kDigitBits - in_digit; mantissa != 0; mantissa >>= kDigitBits)
    digits_[digit++] += sign * static_cast<std::int64_t>(mantissa & (kDigit - 1));
}

long double BigSum::minus(double value) const {
  BigSum difference = *this;
  difference.add(-value);
  auto& digits = difference.digits_;
  carry(digits);
  const bool is_negative = digits.back() < 0;
  if (is_negative) {
    for (std::int64_t& digit : digits) digit = -digit;
    carry(digits);
  }
  long double total = 0;
  for (std::size_t i = digits.size(); i-- > 0;)
    total +=
        std::ldexp(static_cast<long double>(digits[i]), kLowestExponent + kDigitBits * static_cast<int>(i));
  return is_negative ? -total : total;
}

}  // namespace skimline::histograms::testing
