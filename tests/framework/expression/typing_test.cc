// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

Schema schema_of_every_type() {
  Schema schema;
  const std::pair<const char*, ScalarType> names[] = {
      {"b", ScalarType::kBool},     {"i8", ScalarType::kInt8},    {"u8", ScalarType::kUInt8},
      {"i16", ScalarType::kInt16},  {"u16", ScalarType::kUInt16}, {"i32", ScalarType::kInt32},
      {"u32", ScalarType::kUInt32}, {"i64", ScalarType::kInt64},  {"u64", ScalarType::kUInt64},
      {"f", ScalarType::kFloat},    {"d", ScalarType::kDouble},
  };
  for (const auto& [name, scalar] : names) {
    schema.add({name, flat(scalar), ""});
    schema.add({"v" + std::string(name), jagged(scalar), ""});
  }
  return schema;
}

// What C++ gives for the same expression over values of these types.
TEST(Typing, FollowsCxx) {
  const PlanBuilder builder(schema_of_every_type());
  const std::pair<const char*, Type> cases[] = {
      {"i8 + i8", flat(scalar_type_of<decltype(std::int8_t{} + std::int8_t{})>)},
      {"b + b", flat(scalar_type_of<decltype(true + true)>)},
      {"u16 * i16", flat(scalar_type_of<decltype(std::uint16_t{} * std::int16_t{})>)},
      {"i32 + u32", flat(scalar_type_of<decltype(std::int32_t{} + std::uint32_t{})>)},
      {"u32 - i64", flat(scalar_type_of<decltype(std::uint32_t{} - std::int64_t{})>)},
      {"i64 - u64", flat(scalar_type_of<decltype(std::int64_t{} - std::uint64_t{})>)},
      {"f * f", flat(ScalarType::kFloat)},
      {"f * 2", flat(ScalarType::kFloat)},
      {"f * 2.", flat(ScalarType::kDouble)},
      {"f * 2.f", flat(ScalarType::kFloat)},
      {"i32 / i32", flat(ScalarType::kInt32)},
      {"u64 / f", flat(ScalarType::kFloat)},
      {"i16 << i64", flat(ScalarType::kInt32)},
      {"i64 << i8", flat(ScalarType::kInt64)},
      {"-u8", flat(ScalarType::kInt32)},
      {"~u32", flat(ScalarType::kUInt32)},
      {"!f", flat(ScalarType::kBool)},
      {"f < 1", flat(ScalarType::kBool)},
      {"f < 1 && d", flat(ScalarType::kBool)},
      {"b ? i8 : i8", flat(ScalarType::kInt8)},
      {"b ? i8 : f", flat(ScalarType::kFloat)},
      {"vf > 1", jagged(ScalarType::kInt32)},
      {"vf > 1 && vf < 2", jagged(ScalarType::kInt32)},
      {"vf * d", jagged(ScalarType::kDouble)},
      {"vf * i32", jagged(ScalarType::kFloat)},
      {"-vi8", jagged(ScalarType::kInt8)},
      {"vf[0]", flat(ScalarType::kFloat)},
      {"vf[vf > 1]", jagged(ScalarType::kFloat)},
      {"Sum(vf)", flat(ScalarType::kFloat)},
      {"Sum(vf > 1)", flat(ScalarType::kInt32)},
      {"Sum(vb)", flat(ScalarType::kUInt64)},
      {"Sum(vb, 1)", flat(ScalarType::kUInt64)},
      {"Sum(vb, f)", flat(ScalarType::kFloat)},
      {"Any(vf > 1)", flat(ScalarType::kBool)},
      {"Max(vi16)", flat(ScalarType::kInt16)},
      {"vf.size()", flat(ScalarType::kUInt64)},
      {"sqrt(f)", flat(ScalarType::kFloat)},
      {"sqrt(i32)", flat(ScalarType::kDouble)},
      {"pow(f, 2)", flat(ScalarType::kDouble)},
      {"pow(f, 2.f)", flat(ScalarType::kFloat)},
      {"abs(i16)", flat(ScalarType::kInt32)},
      {"abs(vi32)", jagged(ScalarType::kDouble)},
      {"abs(vf)", jagged(ScalarType::kFloat)},
      {"atan2(vf, f)", jagged(ScalarType::kFloat)},
      {"min(i32, f)", flat(ScalarType::kFloat)},
      {"DeltaR(f, f, f, f)", flat(ScalarType::kFloat)},
      {"DeltaR(vf, d, vf, f)", jagged(ScalarType::kDouble)},
      {"InvariantMass(vf, vf, vf, vf)", flat(ScalarType::kFloat)},
      {"InvariantMass(vf, vf, vd, vf)", flat(ScalarType::kDouble)},
      {"InvariantMass(vi32, vf, vf, vu8)", flat(ScalarType::kFloat)},
      {"InvariantMass(vi32, vi32, vi32, vi32)", flat(ScalarType::kDouble)},
      {"InvariantMasses(vf, vf, vf, vd, vf, vf, vf, vf)", jagged(ScalarType::kDouble)},
      {"Angle(f, f, d, d, d, d)", flat(ScalarType::kFloat)},
      {"DeltaPhi(f, f, 180.)", flat(ScalarType::kDouble)},
      {"DeltaPhi(d, d, 180.f)", flat(ScalarType::kFloat)},
      {"DeltaR(f, f, f, f, 180)", flat(ScalarType::kFloat)},
      {"Mean(vf, 0.f)", flat(ScalarType::kFloat)},
      {"Mean(vf, 0.)", flat(ScalarType::kDouble)},
      {"Mean(vf, 0)", flat(ScalarType::kFloat)},
      {"Mean(vi8, 0)", flat(ScalarType::kInt32)},
      {"Mean(vb, 0)", flat(ScalarType::kUInt64)},
      {"Product(vi8, 1.f)", flat(ScalarType::kFloat)},
      {"Intersect(vi8, vi16, true)", jagged(ScalarType::kInt32)},
      {"i8 == 'a'", flat(ScalarType::kBool)},
      {"vi8.at(0, -128)", flat(ScalarType::kInt8)},
      {"vu16.at(0, 65535u)", flat(ScalarType::kUInt16)},
      {"vu32.at(0, -1)", flat(ScalarType::kUInt32)},
      {"Where(vu64 > 1u, vu64, -1)", jagged(ScalarType::kUInt64)},
      {"Where(vb, 1, vb)", jagged(ScalarType::kBool)},
      {"Where(vi8 > 1, vi8, i32)", jagged(ScalarType::kInt8)},
      {"int(vi8).at(0, 300)", flat(ScalarType::kInt32)},
      {"'a' + f", flat(ScalarType::kFloat)},
      {"std::numeric_limits<unsigned short>::max()", flat(ScalarType::kUInt16)},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(name_of(builder.type_of_expression(text)), name_of(expected)) << text;
}

TEST(Typing, ExplainsWhatDoesNotFit) {
  PlanBuilder builder(schema_of_every_type());
  builder.define("leading", "vf[0]");
  const std::pair<const char*, const char*> cases[] = {
      {"vff > 1", "unknown column \"vff\" (did you mean \"vf\"?)"},
      {"lading", "unknown column \"lading\" (did you mean \"leading\"?)"},
      {"Summ(vf)", "unknown function \"Summ\" (did you mean \"Sum\"?)"},
      {"sqrt", "\"sqrt\" is a function and needs arguments in parentheses"},
      {"Sum(f)", "Sum(list, start) does not take (float)"},
      {"Sum()", "Sum(list, start) needs arguments"},
      {"DeltaR(f, f)", "DeltaR(eta1, eta2, phi1, phi2) does not take (float, float)"},
      {"f % 2",
       "operator % does not take float and std::int32_t: write fmod(x, y), which has the sign of x, or x - y "
       "* floor(x / y), as Python has it"},
      {"~d", "operator ~ does not take double"},
      {"i32 << d", "operator << does not take std::int32_t and double"},
      {"f[0]", "only lists can be indexed, this is one float per entry"},
      {"vf[1.5]", "an index must be an integer and a mask bool or integer, not double"},
      {"vf ? 1 : 2",
       "the condition of \"?\" must be one value per entry, not a list of float (use Any, All or Where)"},
      {"b ? f : vf", "the choices of \"?\" have different types: float and list of float"},
      {"1 / 0", "integer division by zero"},
      {"TMath::Pi(1)", "TMath::Pi() takes no arguments"},
      {"Combinations(vf, i32)", "how many elements to combine must be written as a number"},
      {"Where(vi32 > 1, vi32, 0.5)", "a double beside a list of std::int32_t would lose its fraction"},
      {"vi16.at(0, -99999)",
       "-99999 would become 31073 beside a list of std::int16_t: write int(x) for the list"},
      {"vu8.at(0, -1)", "-1 would become 255 beside a list of std::uint8_t: write int(x) for the list"},
      {"Where(vi8 > 1, 128, vi8)",
       "128 would become -128 beside a list of std::int8_t: write int(x) for the list"},
      {"Where(vb, vb, 2)", "2 would become 1 beside a list of bool: write int(x) for the list"},
      {"vu32.at(0, -1L)",
       "-1 would become 4294967295 beside a list of std::uint32_t: write int(x) for the list"},
      {"vi32.at(0, 3000000000)",
       "3000000000 would become -1294967296 beside a list of std::int32_t: write int(x) for the list"},
  };
  for (const auto& [text, problem] : cases) {
    try {
      builder.type_of_expression(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.problem(), problem) << text;
    }
  }
}

TEST(Typing, ColumnsHideConstants) {
  Schema schema = schema_of_every_type();
  EXPECT_EQ(PlanBuilder(schema).type_of_expression("M_PI"), flat(ScalarType::kDouble));
  schema.add({"M_PI", flat(ScalarType::kInt32), ""});
  EXPECT_EQ(PlanBuilder(schema).type_of_expression("M_PI"), flat(ScalarType::kInt32));
  EXPECT_EQ(PlanBuilder(schema).type_of_expression("TMath::Pi()"), flat(ScalarType::kDouble));
}

TEST(Typing, SelectionsAreOneBoolPerEntry) {
  PlanBuilder builder(schema_of_every_type());
  EXPECT_NO_THROW(builder.select(kAllEntries, "i32"));
  EXPECT_NO_THROW(builder.select(kAllEntries, "Any(vf > 1)"));
  EXPECT_THROW(builder.select(kAllEntries, "vf > 1"), ExpressionError);
  EXPECT_THROW(builder.select(kAllEntries, "f"), ExpressionError);
}

TEST(Typing, NamesAreDefinedOnce) {
  PlanBuilder builder(schema_of_every_type());
  builder.define("twice", "f * 2");
  EXPECT_EQ(builder.type_of("twice"), flat(ScalarType::kFloat));
  EXPECT_THROW(builder.define("twice", "f * 3"), SchemaError);
  EXPECT_THROW(builder.define("f", "d"), SchemaError);
  EXPECT_THROW(builder.type_of("thrice"), SchemaError);
}

}  // namespace
}  // namespace skimline
