// SPDX-License-Identifier: BSD-3-Clause
#include "expression/value_content.h"

#include "engine/program.h"
#include "expression_generator.h"
#include "random_columns.h"

#include "skimline/framework/error.h"
#include "skimline/framework/external_function.h"
#include "skimline/framework/plan.h"

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace skimline {
namespace {

#ifdef SKIMLINE_SANITIZED
constexpr std::uint64_t kExpressions = 1000;
#else
constexpr std::uint64_t kExpressions = 10000;
#endif

class ValueContents : public ::testing::Test {
 protected:
  std::string text(const std::string& expression) { return builder_.content_of({expression}).text; }

  const testing::RandomColumns columns_{1, 4};
  const std::unique_ptr<Source> source_ = columns_.source(4, std::vector<bool>(4, true));
  PlanBuilder builder_{source_->schema()};
};

// Nodes that are two are computed twice: what tells them apart must be in the text.
TEST_F(ValueContents, TellAllNodesApart) {
  for (const auto& [signature, body] : testing::ExpressionGenerator::user_functions())
    builder_.define_function(signature, body);
  for (std::uint64_t seed = 1; seed <= kExpressions; ++seed) {
    try {
      builder_.value_number({testing::ExpressionGenerator(seed, {}).expression()});
    } catch (const ExpressionError&) {
      // Not all that is made at random can be computed.
    }
  }
  const Plan plan = std::move(builder_).build();
  const Graph& graph = plan.program().graph;
  ASSERT_GT(graph.size(), kExpressions);
  std::map<std::string, NodeId> known;
  for (NodeId node = 0; node < graph.size(); ++node) {
    const auto [found, is_new] = known.emplace(content_of(node, graph, source_->schema()).text, node);
    ASSERT_TRUE(is_new) << graph[node].text << " and " << graph[found->second].text << " are told alike:\n"
                        << found->first;
  }
}

TEST_F(ValueContents, AreWithoutNamesOfDefinitions) {
  builder_.define("twice", "x * 2");
  builder_.define_function("shifted(value, by)", "value + by");
  const std::string expected = text("x * 2 + 1");
  EXPECT_EQ(text("twice + 1"), expected);
  EXPECT_EQ(text("shifted(twice, 1)"), expected);
  EXPECT_EQ(text("  (x*2)+1 "), expected);
  EXPECT_NE(text("y * 2 + 1"), expected);
  EXPECT_NE(text("x * 2 + 2"), expected);
  EXPECT_NE(text("x * 2. + 1"), text("x * 2.f + 1"));
}

TEST_F(ValueContents, DoNotDependOnWhatElseIsThere) {
  const std::string expected = text("x + y");
  PlanBuilder other(source_->schema());
  other.define("before", "y * x - 3");
  EXPECT_EQ(other.content_of(VariedExpression{"x + y"}).text, expected);
}

TEST_F(ValueContents, TellOperatorsApart) {
  std::map<std::string, std::string> known;
  for (const std::string op : {"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&&", "||"})
    for (const std::string& expression : {"x " + op + " y", "(x > 1) " + op + " (y > 1)"}) {
      const auto [found, is_new] = known.emplace(text(expression), expression);
      EXPECT_TRUE(is_new) << expression << " and " << found->second;
    }
  EXPECT_NE(text("x > 1 && y > 1"), text("x > 1 || y > 1"));
  EXPECT_NE(text("AnyOf(\"i*\")"), text("AllOf(\"i*\")"));
  EXPECT_NE(text("x > 1 ? x : y"), text("x > 1 ? y : x"));
}

TEST_F(ValueContents, HoldTextsAsTheyAre) {
  EXPECT_NE(text("s == \"a\""), text("s == \"b\""));
  EXPECT_NE(text("s == \"1:a\""), text("s == \"a\""));
  builder_.define_constant("tag", std::string("a"));
  EXPECT_EQ(text("s == tag"), text("s == \"a\""));
}

TEST_F(ValueContents, SayWhatIsNotInTheColumns) {
  EXPECT_TRUE(builder_.content_of(VariedExpression{"entry_ + 1"}).uses_entry);
  EXPECT_TRUE(builder_.content_of(VariedExpression{"file_ == \"a\""}).uses_file);
  const ValueContent plain = builder_.content_of(VariedExpression{"x"});
  EXPECT_FALSE(plain.uses_entry || plain.uses_file);
  const SelectionId odd = builder_.select(kAllEntries, "entry_ % 2 == 1");
  EXPECT_TRUE(builder_.content_of(builder_.select(odd, "x > 1")).uses_entry);
}

ExternalFunction doubled(const std::string& name, const std::string& content) {
  return {name, element_function(+[](double value) { return 2 * value; }), content};
}

TEST_F(ValueContents, OfFunctionsOutsideAreWhatIsKnownOfThem) {
  builder_.define_external(doubled("one", "the same"));
  builder_.define_external(doubled("other", "the same"));
  builder_.define_external(doubled("third", "another"));
  builder_.define_external(doubled("unknown", ""));
  EXPECT_EQ(text("one(x)"), text("other(x)"));
  EXPECT_NE(text("one(x)"), text("third(x)"));
  EXPECT_TRUE(builder_.content_of(VariedExpression{"one(x)"}).is_known);
  EXPECT_FALSE(builder_.content_of(VariedExpression{"unknown(x) + 1"}).is_known);
}

TEST_F(ValueContents, OfSelectionsAreTheirConditions) {
  const auto of = [&](SelectionId selection) { return builder_.content_of(selection).text; };
  const SelectionId first = builder_.select(kAllEntries, "x > 1");
  const SelectionId both = builder_.select(first, "y > 2");
  EXPECT_NE(of(first), of(both));
  EXPECT_NE(of(both), of(builder_.select(kAllEntries, "y > 2")));
  EXPECT_EQ(of(kAllEntries), "");
}

TEST_F(ValueContents, FollowVariations) {
  builder_.define("twice", "x * 2");
  const VariationId up = builder_.vary("up", {{"x", "x + 1"}});
  EXPECT_EQ(builder_.content_of({"twice", up}).text, text("(x + 1) * 2"));
  EXPECT_EQ(builder_.content_of({"y", up}).text, text("y"));
}

TEST_F(ValueContents, OfWhatIsNotCountedAreNotRead) {
  const SelectionId first = builder_.select(kAllEntries, "x > 1");
  builder_.select(builder_.select(first, "y > 2"), "f > 3");
  builder_.count_only({first});
  EXPECT_EQ(std::move(builder_).build().columns_read(), std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace skimline
