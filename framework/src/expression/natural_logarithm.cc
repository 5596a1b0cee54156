// SPDX-License-Identifier: BSD-3-Clause
// The maths library takes other instructions where the processor has fused multiply-add, and other series
// from version to version, so that its last bit differs. This one only adds, multiplies and divides.
#include "expression/natural_logarithm.h"

#include <cmath>

namespace skimline {
namespace {

// ln 2 in two parts. The first has 42 bits, so that its product with any exponent of a double is exact.
constexpr double kHighLn2 = 0x1.62e42fefa38p-1, kLowLn2 = 0x1.ef35793c7673p-45;
constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;

// Of atanh(s) = s + s^3/3 + s^5/5 + ... in falling powers. As |s| is at most 0.172, the first term that is
// left out, s^23/23, is 2^-60 of the sum.
constexpr double kSeriesOfAtanh[] = {1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13,
                                     1. / 11, 1. / 9,  1. / 7,  1. / 5,  1. / 3};

}  // namespace

// x is 2^exponent times a mantissa from sqrt(1/2) to sqrt(2), whose logarithm is 2 atanh(s). Small terms are
// added first.
double natural_logarithm(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kRootHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double series = 0;
  for (const double coefficient : kSeriesOfAtanh) series = (series + coefficient) * square;
  const double rest = 2 * s * series + exponent * kLowLn2;
  return exponent * kHighLn2 + (2 * s + rest);
}

}  // namespace skimline
