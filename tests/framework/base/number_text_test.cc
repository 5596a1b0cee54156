// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/number_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace skimline {
namespace {

std::vector<double> some_numbers() {
  std::vector<double> numbers{0,
                              -0.0,
                              1,
                              -1.5,
                              0.1,
                              100000,
                              1e6,
                              1234567,
                              1e-4,
                              1e-5,
                              999999.5,
                              0.5,
                              2.5,
                              1e22,
                              1e23,
                              123456789012345678.0,
                              5e-324,
                              std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::infinity()};
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i)
    numbers.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                 static_cast<int>(random() % 200) - 150));
  return numbers;
}

// The tests run in the locale of C.
std::string printed(const char* format, int digits, double value) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

TEST(NumberText, IsThatOfPrintf) {
  for (const double value : some_numbers())
    for (const int digits : {1, 4, 6, 15, 17}) {
      EXPECT_EQ(significant_digits(value, digits), printed("%.*g", digits, value));
      EXPECT_EQ(fixed_digits(value, digits), printed("%.*f", digits, value));
    }
}

TEST(NumberText, OfOtherBitsIsAnother) {
  const std::vector<double> numbers = some_numbers();
  std::set<std::string> texts;
  for (const double value : numbers) texts.insert(all_bits(value));
  EXPECT_EQ(texts.size(), numbers.size());
}

TEST(NumberText, IsReadAsByAtof) {
  for (const char* text :
       {"", " ", "a", "1.5", " \t12", "+3.25 GB", "-0.5e1x", "1e", "1,5", ".5", "-", "+-1"})
    EXPECT_EQ(leading_number(text), std::atof(text)) << text;
  EXPECT_EQ(leading_number("1e999"), 0);
}

}  // namespace
}  // namespace skimline
