// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

// Texts that begin with numbers, and some that nearly do.
std::vector<std::string> some_texts() {
  std::vector<std::string> texts{
      "",        "-",       "+1",   " 1",       "1 2",    "1,5",      ".",      ".5",
      "5.",      "-.5e",    "1e5x", "1e",       "1e+",    "0x1p3",    "0X",     "-0x1f",
      "x1",      "inf",     "-inf", "infinity", "INFix",  "i",        "nan",    "-NaN",
      "nano",    "n",       "--1",  "1e400",    "-1e400", "1e-400",   "5e-324", "1e-310",
      "1e-40",   "3e38",    "4e38", "7f",       "1.8p3",  "c.8p-2",   "-.8",    "ffffffffffff",
      "1p99999", "1p-9999", "p1",   "g",        "1'000",  "16777217", "0.1",    "1e23",
      "00012",   "-0"};
  std::mt19937_64 random(5);
  const std::string_view characters = "0123456789.eE+-xXpPabcfinF ";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    while (random() % 8 != 0) text += characters[random() % characters.size()];
    texts.push_back(text);
  }
  for (const double value : some_numbers()) texts.push_back(printed("%.*g", 17, value));
  return texts;
}

template <typename Real>
void expect_the_same(const std::string& text, std::chars_format format) {
  Real number = 7, expected = 7;
  const char* const begin = text.data();
  const auto result = read_real_by_c_library(std::string_view(text), number, format);
  const auto wanted = std::from_chars(begin, begin + text.size(), expected, format);
  EXPECT_EQ(result.ec, wanted.ec) << '"' << text << '"';
  EXPECT_EQ(result.ptr - begin, wanted.ptr - begin) << '"' << text << '"';
  EXPECT_TRUE(number == expected || (std::isnan(number) && std::isnan(expected))) << '"' << text << '"';
}

TEST(NumberText, IsReadByTheCLibraryAsByFromChars) {
  for (const std::string& text : some_texts())
    for (const std::chars_format format : {std::chars_format::general, std::chars_format::hex}) {
      expect_the_same<double>(text, format);
      expect_the_same<float>(text, format);
    }
}

TEST(NumberText, IsANumberAsAWholeOrNot) {
  EXPECT_EQ(only_number("-1.5e3"), -1500);
  for (const char* text : {"", "1 ", " 1", "1x", "+1", "1e999"}) EXPECT_EQ(only_number(text), std::nullopt);
}

}  // namespace
}  // namespace skimline
