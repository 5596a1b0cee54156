// SPDX-License-Identifier: BSD-3-Clause
// Numbers in texts at the ends of their types, against the C++ library.
#include "expression/numbers_in_strings.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

template <typename T>
std::optional<T> found(const std::string& text) {
  try {
    return number_in<T>(text);
  } catch (const NoNumber&) {
    return std::nullopt;
  }
}

template <typename Convert>
auto expected(const std::string& text, Convert convert) -> std::optional<decltype(convert(text))> {
  try {
    return convert(text);
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

TEST(NumbersInStrings, AreThoseOfTheLibrary) {
  const std::vector<std::string> digits{"",
                                        "0",
                                        "00",
                                        "5x",
                                        " 5",
                                        "5.5",
                                        "2147483647",
                                        "2147483648",
                                        "2147483649",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "9223372036854775809",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0x10",
                                        "1e3",
                                        "inf",
                                        "."};
  for (const std::string sign : {"", "-", "+", "--", "+-", "-+", "++", " -", "- "})
    for (const std::string& each : digits) {
      const std::string text = sign + each;
      EXPECT_EQ(found<std::int32_t>(text), expected(text, [](const std::string& t) { return std::stoi(t); }))
          << text;
      EXPECT_EQ(found<std::int64_t>(text),
                expected(text, [](const std::string& t) -> std::int64_t { return std::stoll(t); }))
          << text;
      EXPECT_EQ(found<std::uint64_t>(text),
                expected(text, [](const std::string& t) -> std::uint64_t { return std::stoull(t); }))
          << text;
      EXPECT_EQ(found<double>(text), expected(text, [](const std::string& t) { return std::stod(t); }))
          << text;
      EXPECT_EQ(found<float>(text), expected(text, [](const std::string& t) { return std::stof(t); }))
          << text;
    }
}

}  // namespace
}  // namespace skimline
