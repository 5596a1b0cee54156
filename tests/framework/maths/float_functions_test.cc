// SPDX-License-Identifier: BSD-3-Clause
// Functions of floats against the exact result, rounded: here of one float in thousands; scripts/check tries
// all of them.
#include "maths/float_arrays.h"
#include "maths/truth.h"

#include "skimline/framework/maths.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::testing {
namespace {

bool is_same(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Floats of all sizes, among them zeros, subnormal and infinite ones, NaN, and what is next to them and to 1.
std::vector<float> floats(std::uint32_t stride) {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += stride)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (const std::uint32_t bits :
       {0u, 1u, 0x7fffffu, 0x800000u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x40000000u, 0x3f000000u,
        0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u})
    for (const std::uint32_t sign : {0u, 0x80000000u}) values.push_back(std::bit_cast<float>(bits | sign));
  // Multiples of pi, integers and their halves, where results are exact, or tiny.
  for (int i = -400; i <= 400; ++i) {
    values.push_back(static_cast<float>(i * M_PI / 4));
    values.push_back(static_cast<float>(i) / 2);
  }
  return values;
}

TEST(FloatFunctions, AreCorrectlyRounded) {
  FloatTruth truth;
  // An odd number: all last bits come up.
  const std::vector<float> values = floats(60013);
  for (const UnaryFunction& function : unary_functions())
    for (const float x : values) {
      const float result = function.of_float(x), expected = truth.quickly(function, x);
      ASSERT_TRUE(is_same(result, expected))
          << function.name << "(" << x << ") is " << result << ", not " << expected;
    }
}

TEST(FloatFunctions, OfArraysHaveTheSameBits) {
  const std::vector<float> values = floats(1000003);
  std::vector<float> results(values.size());
  for (const UnaryFunction& function : unary_functions()) {
    if (!function.of_array) continue;
    for (const std::size_t count : {std::size_t{1}, std::size_t{7}, values.size()}) {
      function.of_array(values.data(), count, results.data());
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_TRUE(is_same(results[i], function.of_float(values[i])))
            << function.name << "(" << values[i] << ")";
    }
  }
}

TEST(FloatFunctions, SinesAndCosinesTogetherAreThoseOfEach) {
  const std::vector<float> angles = floats(1000003);
  std::vector<float> sines(angles.size()), cosines(angles.size());
  float_arrays::sine_cosine(angles.data(), angles.size(), sines.data(), cosines.data());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    EXPECT_TRUE(is_same(sines[i], maths::sin(angles[i]))) << angles[i];
    EXPECT_TRUE(is_same(cosines[i], maths::cos(angles[i]))) << angles[i];
  }
}

// Arguments of all sizes, and small numbers, for which powers and roots are exact, or in the middle of two
// floats.
class Arguments {
 public:
  float next() {
    switch (random_() % 4) {
      case 0:
        return std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
      case 1:
        return static_cast<float>(static_cast<int>(random_() % 41) - 20);
      case 2:
        return std::ldexp(static_cast<float>(random_() % 2000) - 1000, -static_cast<int>(random_() % 12));
      default:
        return static_cast<float>(std::exp2(static_cast<double>(random_() % 4000) / 100 - 20));
    }
  }

 private:
  std::mt19937_64 random_{5};
};

TEST(FloatFunctions, OfTwoArgumentsAreCorrectlyRounded) {
  FloatTruth truth;
  for (const BinaryFunction& function : binary_functions()) {
    Arguments arguments;
    for (int i = 0; i < 100'000; ++i) {
      const float x = arguments.next(), y = arguments.next();
      const float result = function.of_float(x, y), expected = truth.of(function, x, y);
      ASSERT_TRUE(is_same(result, expected))
          << function.name << "(" << x << ", " << y << ") is " << result << ", not " << expected;
    }
  }
}

// The quotient lies in the middle of two subnormal numbers, its arc tangent below.
TEST(FloatFunctions, ArcsOfQuotientsBetweenSubnormalNumbers) {
  FloatTruth truth;
  for (const auto& [y, x] : {std::pair{0x1.3d4dacp-125f, 0x1p+3f}, {-0x1.4ffd12p-126f, 0x1.8p+2f}})
    EXPECT_EQ(maths::atan2(y, x), truth.of(binary_functions()[0], y, x));
}

}  // namespace
}  // namespace skimline::testing
