// SPDX-License-Identifier: BSD-3-Clause
// Functions that take values in blocks, over more values than a block has: with and without values that their
// fast loops leave to others, and with operands that are one value for all.
#include "expression_case.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

// x and y are moderate; every fifth of d and f is NaN, infinite, huge or the like: random_columns.h.
constexpr const char* kInBlocks[] = {
    "DeltaPhi(x, y)",
    "DeltaPhi(d, y)",
    "DeltaPhi(x / 100, 3.14)",
    "DeltaPhi(-3.14, x / 100)",
    "DeltaPhi(float(x), float(y))",
    "DeltaPhi(f, float(x) / 50.f)",
    "DeltaPhi(x - x, -0. * n)",
    "DeltaR(x, y, x / 100, y / 100)",
    "DeltaR(x, 2.5, d, y)",
    "DeltaR(float(x), 1.f, 0.5f, float(y) / 100.f)",
    "DeltaR2(x, y, d, 1)",
    "DeltaR2(f, float(y), f, float(x))",
    "int(x)",
    "int(d)",
    "int(x * 1e8)",
    "unsigned(abs(x))",
    "unsigned(x)",
    "int8_t(x * 100)",
    "uint8_t(d)",
    "short(f)",
    "uint16_t(abs(f))",
    "int(float(x) * 1e8f)",
    "int(f)",
    "long(x * 1e17)",
    "long(d)",
    "uint64_t(abs(x) * 1e18)",
    "uint64_t(d)",
    "bool(d)",
    "max(x, y)",
    "min(d, y)",
    "max(1.5, d)",
    "min(d, -0.)",
    "max(f, float(x), 2.f)",
    "min(1.5, d, y, x)",
    "max(k, n, m, q)",
    "min(u64, 7ul, u64 + 1)",
    "max(-0. * n, 0. * n)",
    "n > 1 ? Take(pt, 2) : pt",
    "n > 1 ? Take(a_d, -2) : a_d",
    "n > 2 ? Take(a_s, 3) : a_s",
    "n > 6 ? Take(a_u8, -7) : a_u8",
    "Take(a_i16, 0)",
    "Take(pt, k < n ? int(k) : -int(n))",
    "Take(pt, 3)",
    "q > 1 ? Take(h_f, 2) : h_f",
};

TEST(OperandBlocks, GiveTheValuesOfTheNaiveEvaluator) {
  for (const char* expression : kInBlocks) {
    testing::ExpressionCase tried;
    tried.columns_seed = 21;
    tried.num_entries = 900;
    tried.slice_entries = 700;
    tried.definitions = {{"value", expression}};
    tried.outputs = {{0, {"value"}}};
    const testing::Comparison result = compare(tried);
    EXPECT_EQ(result.difference.kind, testing::DifferenceKind::kNone)
        << expression << ": " << result.difference.message;
    EXPECT_FALSE(result.is_refused) << expression;
    EXPECT_GT(result.num_values, 300u) << expression;
  }
}

}  // namespace
}  // namespace skimline
