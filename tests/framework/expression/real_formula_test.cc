// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/real_formula.h"

#include <string>

#include <gtest/gtest.h>

namespace skimline {
namespace {

const NumberTypes kColumns{{"flag", ScalarType::kBool}, {"n", ScalarType::kInt32}, {"w", ScalarType::kFloat}};

TEST(RealFormula, conditions_are_0_or_1_or_flags) {
  for (const char* condition :
       {"x > 1", "(a > 1) * (b > 2)", "flag", "n", "flag * n * (x < 3)", "!w", "w && x", "x > 1 ? n : flag",
        "Any(x > 1)", "(x > 1) & flag", "true", "no expression ("})
    EXPECT_TRUE(is_condition(condition, kColumns)) << condition;
  for (const char* number : {"w", "x", "(x > 1) * w", "(x > 1) + (w > 2)", "2 * (x > 1)", "-flag", "n / 2",
                             "x > 1 ? w : 1.", "Sum(x > 1)", "abs(n)", "n % 2 * (x > 1)"})
    EXPECT_FALSE(is_condition(number, kColumns)) << number;
}

}  // namespace
}  // namespace skimline
