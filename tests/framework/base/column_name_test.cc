// SPDX-License-Identifier: BSD-3-Clause
// Names of columns with any characters, in back-quotes.
#include "skimline/framework/column_name.h"

#include "expression/syntax.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/schema.h"

#include <random>

#include <gtest/gtest.h>

namespace skimline {
namespace {

Schema schema_of(const std::vector<std::string>& names) {
  Schema schema;
  for (const std::string& name : names) schema.add({name, flat(ScalarType::kFloat), ""});
  return schema;
}

std::string problem_of(const PlanBuilder& builder, std::string_view expression) {
  try {
    builder.type_of_expression(expression);
  } catch (const ExpressionError& error) {
    return std::to_string(error.offset()) + "+" + std::to_string(error.length()) + " " + error.problem();
  }
  return "none";
}

TEST(ColumnName, StandsInBackQuotesOnlyIfItHasTo) {
  const std::pair<const char*, const char*> cases[] = {
      {"Muon_pt", "Muon_pt"},
      {"Muon.pt", "Muon.pt"},
      {"_a.b.c1", "_a.b.c1"},
      {"a:b", "`a:b`"},
      {"a b", "`a b`"},
      {"1st", "`1st`"},
      {"a.1", "`a.1`"},
      {"a.", "`a.`"},
      {".a", "`.a`"},
      {"a..b", "`a..b`"},
      {"true", "`true`"},
      {"a.or", "`a.or`"},
      {"a`b", "`a``b`"},
      {"`", "````"},
      {"a\nb", "`a\nb`"},
      {"a::b", "`a::b`"},
      {"", "``"},
  };
  for (const auto& [name, written] : cases) EXPECT_EQ(in_expression(name), written) << name;
}

TEST(ColumnName, ThatIsWrittenIsReadAgain) {
  std::mt19937 random(7);
  const std::string letters = "ab_1.:`'\" \\\n*?()\xc3\xa4" + std::string(1, '\0');
  for (int round = 0; round < 2000; ++round) {
    std::string name(1 + random() % 6, ' ');
    for (char& letter : name) letter = letters[random() % letters.size()];
    const std::string written = in_expression(name);
    const SyntaxPointer syntax = parse(written);
    ASSERT_EQ(syntax->kind, SyntaxKind::kName) << written;
    EXPECT_EQ(syntax->name, name);
    EXPECT_EQ(syntax->is_quoted, written != name);
    EXPECT_EQ(quoted_name(written), written == name ? std::nullopt : std::optional(name));
    EXPECT_TRUE(matches_pattern(name, written));
  }
}

TEST(ColumnName, MayBeAWordOfTheLanguage) {
  for (const std::string name :
       {"true",   "false", "and",   "or",  "not",    "bitand", "bitor",       "xor",    "compl", "not_eq",
        "return", "a.xor", "float", "max", "vector", "RVec",   "static_cast", "lambda", "if",    "in"}) {
    const std::string written = in_expression(name), compared = written + " < b";
    const SyntaxPointer syntax = parse(written);
    ASSERT_EQ(syntax->kind, SyntaxKind::kName) << written;
    EXPECT_EQ(syntax->name, name);
    EXPECT_EQ(parse(compared)->kind, SyntaxKind::kBinary) << compared;
  }
}

TEST(ColumnName, IsOneNameInBackQuotesOrNone) {
  for (const char* text : {"", "`", "``", "```", "a", "`a", "a`", "`a`b`", "`a` + `b`", "`a```b`"})
    EXPECT_EQ(quoted_name(text), std::nullopt) << text;
}

TEST(ColumnName, InPatternsIsLiteral) {
  EXPECT_TRUE(matches_pattern("a*b", "`a*b`"));
  EXPECT_FALSE(matches_pattern("axb", "`a*b`"));
  EXPECT_FALSE(matches_pattern("`a*b`", "`a*b`"));
  EXPECT_TRUE(matches_pattern("Muons:pt", "Muons:*"));
}

TEST(QuotedNames, StandForColumnsInExpressions) {
  Schema schema = schema_of({"Muons:pt", "a b", "true", "M_PI", "pt", "scores.a:b"});
  schema.add({"x y", jagged(ScalarType::kInt32), ""});
  const PlanBuilder builder(schema);
  EXPECT_EQ(builder.type_of_expression("`Muons:pt` * 2 + `a b`"), flat(ScalarType::kFloat));
  EXPECT_EQ(builder.type_of_expression("`x y`.size()"), flat(ScalarType::kUInt64));
  EXPECT_EQ(builder.type_of_expression("`x y`[0] - `x y`[`x y` > 0].size()"), flat(ScalarType::kUInt64));
  EXPECT_EQ(builder.type_of_expression("`true` < `pt`"), flat(ScalarType::kBool));
  EXPECT_EQ(builder.type_of_expression("`M_PI`"), flat(ScalarType::kFloat));
  EXPECT_EQ(builder.type_of_expression("scores.`a:b` + `scores.a:b` + `scores`.`a:b`"),
            flat(ScalarType::kFloat));
}

TEST(QuotedNames, AreNothingButColumns) {
  const PlanBuilder builder(schema_of({"pt"}));
  EXPECT_EQ(problem_of(builder, "1 + `M_PI`"), "4+6 unknown column \"M_PI\"");
  EXPECT_EQ(problem_of(builder, "`Sum`"), "0+5 unknown column \"Sum\"");
  EXPECT_EQ(problem_of(builder, "`sqrt`(pt)"),
            "6+1 a name in back-quotes is that of a column, not of a function");
}

TEST(QuotedNames, AreFoundToBeWrongWhereTheyStand) {
  const PlanBuilder builder(schema_of({"Muons:pt", "pt"}));
  EXPECT_EQ(problem_of(builder, "pt + `Muons:pt"), "5+9 the name in back-quotes has no end");
  EXPECT_EQ(problem_of(builder, "pt + `` + 1"), "5+2 there is no name in the back-quotes");
  EXPECT_EQ(problem_of(builder, "pt + ```"), "5+3 the name in back-quotes has no end");
}

TEST(QuotedNames, AreSuggestedAsTheyAreWritten) {
  const PlanBuilder builder(schema_of({"Muons:pt", "other"}));
  EXPECT_EQ(problem_of(builder, "Muons.pt + 1"),
            "0+8 unknown column \"Muons.pt\" (did you mean \"`Muons:pt`\"?)");
  EXPECT_EQ(
      problem_of(builder, "Muons:pt + 1"),
      "5+1 expected an operator or the end, found \":\" (a name with such characters stands in back-quotes: "
      "`Muons:pt`)");
  EXPECT_THROW(builder.type_of("Muons_pt"), SchemaError);
}

TEST(QuotedNames, AreInDescriptionsOfPlans) {
  PlanBuilder builder(schema_of({"Muons:pt"}));
  builder.select(kAllEntries, "`Muons:pt` > 20");
  const std::string description = std::move(builder).build().description();
  EXPECT_NE(description.find(" = `Muons:pt` (float)"), std::string::npos) << description;
}

}  // namespace
}  // namespace skimline
