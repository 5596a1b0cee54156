// SPDX-License-Identifier: BSD-3-Clause
// Functions that users define, patterns of columns, casts, and warnings.
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

Schema trigger_schema() {
  Schema schema;
  for (const char* name : {"HLT_IsoMu24", "HLT_IsoMu27", "HLT_Ele32", "Flag_good"})
    schema.add({name, flat(ScalarType::kBool), ""});
  schema.add({"pt", jagged(ScalarType::kFloat), ""});
  schema.add({"Jet_muonIdx", jagged(ScalarType::kInt16), ""});
  schema.add({"nMuon", flat(ScalarType::kUInt32), ""});
  schema.add({"charge", flat(ScalarType::kInt32), ""});
  schema.add({"x", flat(ScalarType::kFloat), ""});
  return schema;
}

std::string problem_with(PlanBuilder& builder, const std::string& expression) {
  try {
    builder.type_of_expression(expression);
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "";
}

TEST(UserFunctions, AreTypedByTheirArguments) {
  PlanBuilder builder(trigger_schema());
  builder.define_function("twice(v)", "v + v");
  builder.define_function("central(pt, cut)", "twice(pt) > cut && pt < 100");
  EXPECT_EQ(builder.type_of_expression("twice(x)"), flat(ScalarType::kFloat));
  EXPECT_EQ(builder.type_of_expression("twice(pt)"), jagged(ScalarType::kFloat));
  EXPECT_EQ(builder.type_of_expression("central(pt, 30)"), jagged(ScalarType::kInt32));
}

TEST(UserFunctions, RefuseWhatTheyDoNotKnow) {
  PlanBuilder builder(trigger_schema());
  builder.define_function("f(a, b)", "a % b");
  EXPECT_THROW(builder.define_function("f(a)", "a"), ExpressionError);
  EXPECT_THROW(builder.define_function("g(a, a)", "a"), ExpressionError);
  EXPECT_THROW(builder.define_function("Sum(a)", "a"), ExpressionError);
  EXPECT_THROW(builder.define_function("g", "1"), ExpressionError);
  EXPECT_THROW(builder.define_function("g(a)", "a + x"), ExpressionError);
  EXPECT_THROW(builder.define_function("g(a)", "g(a)"), ExpressionError);
  EXPECT_EQ(problem_with(builder, "f(x)"), "f(a, b) takes 2 arguments, not 1");
  EXPECT_EQ(problem_with(builder, "f(x, 1)"),
            "in f(a, b), at \"%\": operator % does not take float and std::int32_t: write fmod(x, y), which "
            "has the sign of x, or x - y * floor(x / y), as Python has it");
}

// As C++ converts arguments and results; lists element by element.
TEST(UserFunctions, MayHaveTypes) {
  testing::MemorySource source;
  source.add<float>("v", std::vector<std::vector<float>>{{1.5F, -2.75F}, {}, {8.25F}});
  source.add<double>("d", std::vector<double>{2.75, -1.5, 1e10});
  PlanBuilder builder(source.schema());
  builder.define_function("int whole(const float &x)", "{ auto half = x / 2; return half; }");
  builder.define_function(" double  ratio ( int a , double b ) ", "return a / b;");
  builder.define_function("ROOT::RVecI wholes(const RVec<float>& list)", "list");
  builder.define_function("auto same(auto x, std::string s, y)", "s == 'a' ? x : y");
  builder.define_function("float none()", "2.75");
  testing::CollectingSink sink;
  const std::vector<std::string> expressions{"whole(d)",
                                             "ratio(d, 2)",
                                             "whole(v)",
                                             "wholes(v * 2)",
                                             "same(d, 'a', 1)",
                                             "none()",
                                             "Map(v, [](float x) { return whole(x); })"};
  std::vector<std::string> names;
  for (const std::string& each : expressions) {
    names.push_back("r" + std::to_string(names.size()));
    builder.define(names.back(), each);
  }
  EXPECT_EQ(builder.type_of_expression("whole(v)"), jagged(ScalarType::kInt32));
  EXPECT_EQ(builder.type_of_expression("ratio(1, 2)"), flat(ScalarType::kDouble));
  EXPECT_EQ(builder.type_of_expression("none()"), flat(ScalarType::kFloat));
  builder.write(kAllEntries, names, sink);
  run(std::move(builder).build(), source, {});
  using testing::Rows;
  EXPECT_EQ(sink.columns.at(0), (Rows{{1}, {0}, {2147483647}}));
  EXPECT_EQ(sink.columns.at(1), (Rows{{1}, {-0.5}, {1073741823.5}}));
  EXPECT_EQ(sink.columns.at(2), (Rows{{0, -1}, {}, {4}}));
  EXPECT_EQ(sink.columns.at(3), (Rows{{3, -5}, {}, {16}}));
  EXPECT_EQ(sink.columns.at(4), (Rows{{2.75}, {-1.5}, {1e10}}));
  EXPECT_EQ(sink.columns.at(5), (Rows{{2.75}, {2.75}, {2.75}}));
  EXPECT_EQ(sink.columns.at(6), (Rows{{0, -1}, {}, {4}}));
}

std::string problem_with_signature(const std::string& signature) {
  PlanBuilder builder(trigger_schema());
  try {
    builder.define_function(signature, "1");
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "none";
}

TEST(UserFunctions, SayWhatIsWrongWithTheirSignature) {
  const std::pair<const char*, const char*> cases[] = {
      {"f", "expected a function with its parameters, as in \"is_central(pt, eta)\""},
      {"3(x)", "expected the name of a function, found \"3\""},
      {"f(3)", "expected the name of a parameter, found \"3\""},
      {"f(float)", "expected the name of a parameter, found \"float\""},
      {"f(x y)", "there is no such type of variables"},
      {"f(float x", "expected ')' or ',' behind the parameters of \"f\", found the end"},
      {"f(x) -> float", "expected the end, found \"-\""},
      {"f(x = 2)", "assignment is not part"},
      {"f(x, float x)", "the parameter \"x\" is named twice"},
      {"float Sum(x)", "\"Sum\" is a function of the language"},
      {"Muon f(x)", "there is no such type of variables"},
      {"f(x.y)", "expected ')' or ','"},
  };
  for (const auto& [signature, problem] : cases)
    EXPECT_NE(problem_with_signature(signature).find(problem), std::string::npos)
        << signature << ": " << problem_with_signature(signature);
  PlanBuilder builder(trigger_schema());
  builder.define_function("float f(RVecF list)", "list");
  builder.define_function("float g(float x)", "x");
  EXPECT_EQ(problem_with(builder, "f(x)"), "expected a list of numbers for \"list\", found float");
  EXPECT_EQ(problem_with(builder, "g('a')"), "expected a number for \"x\", found string");
}

TEST(UserFunctions, OfFunctionsDoNotMultiply) {
  PlanBuilder builder(trigger_schema());
  builder.define_function("f0(v)", "v * v");
  for (int i = 1; i < 60; ++i) {
    const std::string inner = "f" + std::to_string(i - 1);
    builder.define_function("f" + std::to_string(i) + "(v)", inner + "(v) + " + inner + "(v)");
  }
  EXPECT_EQ(builder.type_of_expression("f59(x)"), flat(ScalarType::kFloat));
}

TEST(Patterns, CombineFlags) {
  testing::MemorySource source;
  source.add<bool>("HLT_IsoMu24", std::vector<bool>{true, false, false, true});
  source.add<bool>("HLT_IsoMu27", std::vector<bool>{true, true, false, false});
  source.add<bool>("HLT_Ele32", std::vector<bool>{false, false, true, false});
  PlanBuilder builder(source.schema());
  builder.define("any", "AnyOf(\"HLT_IsoMu*\")");
  builder.define("all", "AllOf(\"HLT_IsoMu*\")");
  builder.define("both", "AnyOf(\"HLT_Ele*\", \"HLT_*24\")");
  testing::WritingSink sink;
  builder.write(kAllEntries, {"any", "all", "both"}, sink);
  run(std::move(builder).build(), source, {});
  using Printed = std::vector<std::string>;
  EXPECT_EQ(sink.columns[0], (Printed{"1", "1", "0", "1"}));
  EXPECT_EQ(sink.columns[1], (Printed{"1", "0", "0", "0"}));
  EXPECT_EQ(sink.columns[2], (Printed{"1", "0", "1", "1"}));
}

TEST(Patterns, MustMatchFlags) {
  PlanBuilder builder(trigger_schema());
  EXPECT_EQ(problem_with(builder, "AnyOf(\"HLT_Tau*\")").substr(0, 30), "no column matches \"HLT_Tau*\"");
  EXPECT_EQ(problem_with(builder, "AllOf(\"p*\")"),
            "the pattern matches \"pt\", which is list of float and not one bool or integer per entry");
  EXPECT_EQ(problem_with(builder, "AnyOf(x)"), "expected a pattern of column names in quotes");
  EXPECT_NE(problem_with(builder, "AnyOf()"), "");
}

TEST(Casts, ConvertAsCxxDoes) {
  PlanBuilder builder(trigger_schema());
  EXPECT_EQ(builder.type_of_expression("int(x)"), flat(ScalarType::kInt32));
  EXPECT_EQ(builder.type_of_expression("double(pt)"), jagged(ScalarType::kDouble));
  EXPECT_EQ(builder.type_of_expression("std::sqrt(float(charge))"), flat(ScalarType::kFloat));
  EXPECT_EQ(problem_with(builder, "int('a')"), "int(x) takes numbers, not string");
}

TEST(Warnings, PointAtWhatIsSeldomMeant) {
  const std::tuple<const char*, std::size_t, const char*> cases[] = {
      {"charge / 2", 7, "both sides of \"/\" are integers"},
      {"x + 1 / 2", 6, "both sides of \"/\" are integers"},
      {"int((charge / 2) / 2)", 12, "both sides of \"/\" are integers"},
      {"nMuon > charge", 6, "signed and unsigned integers"},
      {"nMuon > -1", 6, "signed and unsigned integers"},
      {"pt.size() > charge", 10, "signed and unsigned integers"},
      {"1 < x < 2", 6, "this compares the result of a comparison"},
      {"charge == 3 == 2", 12, "this compares the result of a comparison, 0 or 1: write a == b && b == c"},
      {"charge <= 1 < 2", 12, "this compares the result of a comparison, 0 or 1: write a <= b && b < c"},
      {"1 == charge != 3", 12, "this compares the result of a comparison, 0 or 1: write a == b && b != c"},
      {"charge == 1 < 2", 7, "this compares the result of a comparison, 0 or 1: write a == b && b < c"},
      {"!charge == 2", 8, "\"!\" binds more tightly than \"==\": write !(a == b), or (!a) == b"},
      {"not x > 2", 6, "\"!\" binds more tightly than \">\": write !(a > b)"},
      {"pt[!pt == 1]", 7, "\"!\" binds more tightly than \"==\""},
      {"!HLT_Ele32 == charge", 11, "\"!\" binds more tightly than \"==\""},
      {"x == 0.1", 2, "this is always false: no float is 0.1, a double: write float(0.1)"},
      {"Sum(pt != -99.9)", 7, "this is always true: no float is -99.9, a double"},
      {"x == 1e300", 2, "this is always false: no float is 1e300, a double"},
      {"charge & int(4) == 4", 7, "\"==\" binds more tightly than \"&\": write (a & b) == c"},
      {"charge & 4 == 4", 7, "\"==\" binds more tightly than \"&\": write (a & b) == c"},
      {"charge & 1 << 3 != 0", 7, "\"!=\" binds more tightly than \"&\": write (a & b) != c"},
      {"4 == charge & 4", 12, "\"==\" binds more tightly than \"&\": write (a & b) == c"},
      {"charge | 1 > 2", 7, "\">\" binds more tightly than \"|\": write (a | b) > c"},
      {"pt[Argsort(-pt)]", 3, "these are indexes"},
      {"Sum(pt[Nonzero(pt)])", 7, "these are indexes"},
      {"pt[Jet_muonIdx]", 3, "these are indexes, and stand for a mask here"},
      {"pt[pt > 3][Jet_muonIdx[pt > 3]]", 11, "these are indexes, and stand for a mask here"},
      {"pt[charge > 0]", 3, "a condition counts as the index 0 or 1"},
      {"Take(pt, pt > 20)", 9,
       "conditions count as the indexes 0 and 1 here: elements are chosen by x[mask]"},
      {"Drop(pt, pt > 20 && pt < 50)", 9, "conditions count as the indexes 0 and 1"},
      {"pt.at(HLT_Ele32, 0)", 6, "conditions count as the indexes 0 and 1"},
      {"Take(pt, !(pt > 20))", 9, "conditions count as the indexes 0 and 1"},
      {"pt[~(pt > 20)]", 3, "\"~\" inverts all bits: of 0 and 1 it makes -1 and -2"},
      {"HLT_Ele32 && ~HLT_IsoMu24", 13, "\"~\" inverts all bits"},
      {"Sum(~((pt > 20) & (pt < 50)))", 4, "\"~\" inverts all bits"},
      {"pt > 20 | ~(pt < 50)", 10, "\"~\" inverts all bits"},
      {"(pt > 20 & ~(pt < 50)) + ~(pt < 50)", 25, "\"~\" inverts all bits"},
      {"charge & ~HLT_Ele32", 9, "\"~\" inverts all bits"},
      {"auto far = ~(pt > 20); return pt[far];", 11, "\"~\" inverts all bits"},
      {"Map(pt, [](float a) { return ~(a > 20); })", 29, "\"~\" inverts all bits"},
  };
  for (const auto& [expression, offset, message] : cases) {
    PlanBuilder builder(trigger_schema());
    builder.type_of_expression(expression);
    builder.type_of_expression(expression);
    const std::vector<ExpressionWarning> warnings = builder.take_warnings();
    ASSERT_EQ(warnings.size(), 1u) << expression;
    EXPECT_EQ(warnings[0].offset, offset) << expression;
    EXPECT_EQ(warnings[0].message.find(message), 0u) << expression << ": " << warnings[0].message;
    EXPECT_TRUE(builder.take_warnings().empty());
  }
}

TEST(Warnings, AreNotGivenWithoutReason) {
  PlanBuilder builder(trigger_schema());
  for (const char* expression : {"charge / 2.",
                                 "int(charge / 2)",
                                 "nMuon > 1",
                                 "charge > -1",
                                 "x / 2",
                                 "HLT_Ele32 > charge",
                                 "nMuon == pt.size()",
                                 "(x < 1) == (x < 2)",
                                 "pt[pt > 20]",
                                 "Take(pt, Argsort(-pt))",
                                 "(charge & 4) == 4",
                                 "charge & (4 == 4)",
                                 "(4 == charge) & 4",
                                 "charge > 1 & charge < 4",
                                 "HLT_Ele32 & 1 < charge",
                                 "pt > 20 & 1 < pt",
                                 "charge | 4",
                                 "charge & nMuon == 1",
                                 "pt[Range(size(pt)) < 2]",
                                 "pt[charge]",
                                 "x == 0.1f || x == 0.5 || x * 1. == 0.1 || x == INFINITY * 1.",
                                 "x > 0.1",
                                 "pt[Jet_muonIdx >= 0]",
                                 "pt[Jet_muonIdx + 1]",
                                 "(charge == 1) == nMuon",
                                 "HLT_Ele32 == (charge < 2)",
                                 "HLT_Ele32 == charge > 2",
                                 "x > 2 == HLT_Ele32",
                                 "!HLT_Ele32 == HLT_IsoMu24",
                                 "!HLT_Ele32 == 1",
                                 "!(x > 2) != true",
                                 "(!charge) == 1",
                                 "!(charge == 1)",
                                 "!charge && x == 2",
                                 "charge & ~4",
                                 "auto low = ~(pt > 20); low = low & (pt > 1); return pt[low];",
                                 "~charge",
                                 "pt[(pt > 20) & ~(pt > 50)]",
                                 "~HLT_Ele32 & HLT_IsoMu24 & ~(charge > 2)",
                                 "Combinations(pt, 2)[0]",
                                 "Sort(pt, [](float a, float b) { return a > b; })"})
    builder.type_of_expression(expression);
  for (const ExpressionWarning& warning : builder.take_warnings())
    ADD_FAILURE() << warning.text << ": " << warning.message;
}

}  // namespace
}  // namespace skimline
