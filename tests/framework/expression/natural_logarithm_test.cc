// SPDX-License-Identifier: BSD-3-Clause
// The logarithm against that of the maths library, and its very bits, which no machine may change.
#include "expression/natural_logarithm.h"

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace skimline {
namespace {

// How many steps of doubles x is from y; 9 for all that are more.
int steps_between(double x, double y) {
  int steps = 0;
  for (; x != y && steps < 9; ++steps) x = std::nextafter(x, y);
  return steps;
}

// From 2^exponent to twice that.
class NaturalLogarithm : public ::testing::Test {
 protected:
  double number(int exponent) {
    return std::ldexp(1 + static_cast<double>(random_() >> 11) * 0x1p-53, exponent);
  }

 private:
  std::mt19937_64 random_{1};
};

TEST_F(NaturalLogarithm, IsThatOfTheMathsLibraryButForTheLastPlace) {
  for (int exponent = -1074; exponent < 1023; ++exponent) {
    // Up to 1/4; all that normal_quantile needs is there, most of it in the last steps.
    const bool is_exact = exponent < -2;
    for (int i = 0; i < (exponent > -20 && is_exact ? 20000 : 100); ++i) {
      const double x = number(exponent);
      EXPECT_LE(steps_between(natural_logarithm(x), std::log(x)), is_exact ? 1 : 3) << x;
    }
  }
  EXPECT_EQ(natural_logarithm(1), 0);
  for (const double x : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(),
                         std::numeric_limits<double>::max()})
    EXPECT_LE(steps_between(natural_logarithm(x), std::log(x)), 1) << x;
}

// Where one mantissa is doubled and the next is not.
TEST_F(NaturalLogarithm, RisesAcrossTheEndsOfItsSeries) {
  for (int exponent = -1021; exponent < 0; ++exponent) {
    const double end = std::ldexp(std::sqrt(0.5), exponent);
    const double before = std::nextafter(end, 0.);
    EXPECT_LE(natural_logarithm(before), natural_logarithm(end)) << end;
    EXPECT_LE(steps_between(natural_logarithm(before), std::log(before)), 1) << before;
  }
}

// By the same steps in fractions, each rounded once. Of the first three the library's last bit is another
// one, where it has been seen.
TEST_F(NaturalLogarithm, HasTheSameBitsEverywhere) {
  for (const auto& [x, expected] : {std::pair{0x1.1e65b67a22a2p-5, -0x1.ad409424a5176p+1},
                                    {0x1.818c0a445f66p-5, -0x1.8733348aca892p+1},
                                    {0x1.13d79b8cadf8p-5, -0x1.b20f0d11c72bap+1},
                                    {0x1p-1074, -0x1.74385446d71c3p+9},
                                    {1e-300, -0x1.5963447f87fb5p+9},
                                    {0x1p-53, -0x1.25e4f7b2737fap+5},
                                    {1e-5, -0x1.7069e2aa2aa5bp+3},
                                    {0.0625, -0x1.62e42fefa39efp+1},
                                    {0.075, -0x1.4b8ddfddbf088p+1}})
    EXPECT_EQ(natural_logarithm(x), expected) << x;
}

}  // namespace
}  // namespace skimline
