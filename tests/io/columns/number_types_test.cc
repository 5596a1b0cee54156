// SPDX-License-Identifier: BSD-3-Clause
#include "columns/number_types.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr std::size_t kNumNumbers = static_cast<std::size_t>(ScalarType::kDouble) + 1;

// The lowest and highest value of a type, and how many bits of integers it holds exactly.
struct Range {
  long double low = 0, high = 0;
  int exact_bits = 0;
  bool is_real = false;
};

Range range_of(ScalarType type) {
  return visit_scalar(type, [](auto tag) {
    using Limits = std::numeric_limits<typename decltype(tag)::type>;
    return Range{Limits::lowest(), Limits::max(), Limits::digits, !Limits::is_integer};
  });
}

bool holds(ScalarType wide, ScalarType narrow) {
  const Range from = range_of(narrow), to = range_of(wide);
  if (from.is_real && !to.is_real) return false;
  return to.low <= from.low && from.high <= to.high && to.exact_bits >= from.exact_bits;
}

TEST(NumberTypes, CommonTypeIsTheSmallestThatHoldsBoth) {
  for (std::size_t i = 0; i < kNumNumbers; ++i)
    for (std::size_t j = 0; j < kNumNumbers; ++j) {
      const auto a = static_cast<ScalarType>(i), b = static_cast<ScalarType>(j);
      const auto common = common_type(a, b);
      std::size_t smallest = 0;
      for (std::size_t k = 0; k < kNumNumbers; ++k) {
        const auto type = static_cast<ScalarType>(k);
        if (holds(type, a) && holds(type, b) && (smallest == 0 || size_of(type) < smallest))
          smallest = size_of(type);
      }
      SCOPED_TRACE(std::string(name_of(a)) + " and " + std::string(name_of(b)));
      EXPECT_EQ(common, common_type(b, a));
      if (!common) {
        EXPECT_TRUE(smallest == 0) << smallest;
        continue;
      }
      EXPECT_TRUE(holds(*common, a) && holds(*common, b)) << name_of(*common);
      EXPECT_EQ(size_of(*common), smallest) << name_of(*common);
    }
}

TEST(NumberTypes, OnlyNumbersHaveOne) {
  EXPECT_EQ(common_type(ScalarType::kString, ScalarType::kString), ScalarType::kString);
  EXPECT_EQ(common_type(ScalarType::kString, ScalarType::kInt32), std::nullopt);
  EXPECT_EQ(common_type(ScalarType::kDouble, ScalarType::kString), std::nullopt);
}

template <typename From, typename To>
void expect_converted(const std::vector<From>& values) {
  std::vector<To> converted(values.size());
  convert(scalar_type_of<From>, values.data(), values.size(), scalar_type_of<To>, converted.data());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(converted[i], static_cast<To>(values[i])) << i;
}

TEST(NumberTypes, ConvertsLimits) {
  expect_converted<std::uint32_t, std::int64_t>({0, 1, 0x7fffffff, 0x80000000, 0xffffffff});
  expect_converted<std::int32_t, std::int64_t>({0, -1, std::numeric_limits<std::int32_t>::min()});
  expect_converted<std::uint8_t, std::int16_t>({0, 127, 128, 255});
  expect_converted<std::int32_t, double>({std::numeric_limits<std::int32_t>::min(), -1, 0x7fffffff});
  expect_converted<float, double>({0.1f, -0.0f, std::numeric_limits<float>::infinity()});
  const bool flags[] = {true, false};
  std::int32_t numbers[2];
  convert(ScalarType::kBool, flags, 2, ScalarType::kInt32, numbers);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], 0);
}

TEST(NumberTypes, ConvertsWhatIsNoNumber) {
  const float value = std::numeric_limits<float>::quiet_NaN();
  double converted = 0;
  convert(ScalarType::kFloat, &value, 1, ScalarType::kDouble, &converted);
  EXPECT_TRUE(std::isnan(converted));
  convert(ScalarType::kFloat, nullptr, 0, ScalarType::kDouble, nullptr);
}

}  // namespace
}  // namespace skimline::io
