// SPDX-License-Identifier: BSD-3-Clause
// Expressions and data that ask for more than there is: refused with a message, in little time.
#include "engine/compiler.h"
#include "engine/gather.h"
#include "expression/conversions.h"
#include "expression/kernel.h"
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string numbered(const std::string& name, int number) { return name + std::to_string(number); }

class ExpressionLimits : public ::testing::Test {
 protected:
  ExpressionLimits() {
    source_.add<double>("x", std::vector<double>{1, 2, 3});
    source_.add<std::int64_t>("n", std::vector<std::int64_t>{1, 2, std::numeric_limits<std::int64_t>::max()});
    source_.add<bool>("flag", std::vector<bool>{true, false, true});
    source_.add_strings("text", std::vector<std::string>{std::string(20000, 'a'), "b", ""});
  }

  // The values of a definition, one an entry.
  std::vector<double> values_of(PlanBuilder builder, const std::string& name) {
    CollectingSink sink;
    builder.write(kAllEntries, {name}, sink);
    run(std::move(builder).build(), source_, {});
    std::vector<double> values;
    for (const std::vector<double>& row : sink.columns.at(0)) values.push_back(row.at(0));
    return values;
  }

  std::string problem_with(const std::string& expression) {
    PlanBuilder builder(source_.schema());
    try {
      builder.type_of_expression(expression);
    } catch (const ExpressionError& error) {
      return error.problem();
    }
    return "";
  }

  // What is wrong in an entry, and in which.
  std::string fault_of(const std::string& expression) {
    PlanBuilder builder(source_.schema());
    builder.define("result", expression);
    CollectingSink sink;
    builder.write(kAllEntries, {"result"}, sink);
    try {
      run(std::move(builder).build(), source_, {});
    } catch (const EvaluationError& error) {
      return error.what();
    }
    return "";
  }

  MemorySource source_;
};

TEST_F(ExpressionLimits, LongChainsOfOperatorsAreFine) {
  PlanBuilder builder(source_.schema());
  builder.define("sum", "x" + repeated(" + x", 2047));
  EXPECT_EQ(values_of(std::move(builder), "sum"), (std::vector<double>{2048, 4096, 6144}));
}

TEST_F(ExpressionLimits, LongOrDeepTextIsRefused) {
  EXPECT_EQ(problem_with("x" + repeated(" + x", 5000)), "expression is too long");
  EXPECT_EQ(problem_with(repeated("(", 10000) + "x" + repeated(")", 10000)), "expression is too long");
  EXPECT_EQ(problem_with(repeated("(", 1000) + "x" + repeated(")", 1000)), "expression is nested too deeply");
  EXPECT_EQ(problem_with(repeated("- ", 1000) + "x"), "expression is nested too deeply");
  EXPECT_EQ(problem_with("x" + repeated(".sqrt()", 1020)), "expression is nested too deeply");
}

// Names, nodes and steps are as many as the definitions: nothing is looked at once for each pair of them.
TEST_F(ExpressionLimits, LongChainsOfDefinitionsAreFine) {
  constexpr int kNumber = 20000;
  PlanBuilder builder(source_.schema());
  builder.define("sum0", "x");
  for (int i = 1; i <= kNumber; ++i) builder.define(numbered("sum", i), numbered("sum", i - 1) + " + x");
  const std::string last = numbered("sum", kNumber);
  const SelectionId selected = builder.select(kAllEntries, last + " > 0");
  CollectingSink sink;
  builder.write(selected, {last}, sink);
  EXPECT_EQ(builder.unused_definitions(), std::vector<std::string>{});
  const Plan plan = std::move(builder).build();
  EXPECT_LT(plan.program().steps.size(), kNumber + 20u);
  EXPECT_LT(plan.program().graph.size(), kNumber + 20u);
  run(plan, source_, {});
  EXPECT_EQ(sink.columns.at(0),
            (CollectingSink::Rows{{kNumber + 1.}, {2 * (kNumber + 1.)}, {3 * (kNumber + 1.)}}));
}

TEST_F(ExpressionLimits, DefinitionsThatLieInOneAnotherAreRefusedBeforeTheStackEnds) {
  PlanBuilder builder(source_.schema());
  builder.define("sum0", "1 / int(x)");
  try {
    for (int i = 1; i <= 10000; ++i)
      builder.define(numbered("sum", i),
                     "x > " + std::to_string(i) + " ? " + numbered("sum", i - 1) + " : 0");
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.problem(), "more than 3000 conditions lie in one another");
  }
}

TEST_F(ExpressionLimits, DefinitionsBehindAMistakeAreNotGuessedAt) {
  PlanBuilder builder(source_.schema());
  for (int i = 0; i < 3; ++i) {
    try {
      builder.define(numbered("sum", i), i == 0 ? "xx" : numbered("sum", i - 1) + " + 1");
      FAIL();
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.problem().find("did you mean") != std::string::npos, i == 0) << error.problem();
    }
  }
}

// Each filter is looked up in the scopes around it only as far as something is there.
TEST(CompilerWork, GrowsWithTheNumberOfFilters) {
  const auto work = [](std::size_t num_filters) {
    Schema schema;
    schema.add({"x", flat(ScalarType::kDouble), ""});
    Compiler compiler(schema, nullptr);
    Node column;
    column.kind = NodeKind::kColumn;
    column.type = flat(ScalarType::kDouble);
    const NodeId x = compiler.graph().add(column);
    std::size_t selection = 0;
    for (std::size_t i = 0; i < num_filters; ++i) {
      const NodeId bound = add_constant(compiler.graph(), Constant::of(static_cast<double>(i)), "bound");
      Node comparison;
      comparison.kind = NodeKind::kLoop;
      comparison.type = flat(ScalarType::kBool);
      comparison.inputs = {x, bound};
      selection = compiler.select(selection, compiler.graph().add(comparison));
    }
    CollectingSink sink;
    compiler.write(selection, {x}, sink);
    const std::size_t num_steps = static_cast<Compiler&&>(compiler).finish().steps.size();
    return num_steps + compiler.num_scopes_searched();
  };
  EXPECT_LE(work(20000), 10 * work(2000) + 100);
}

TEST_F(ExpressionLimits, FunctionsOfFunctionsAreRefusedBeforeTheStackEnds) {
  PlanBuilder builder(source_.schema());
  builder.define_function("f0(v)", "v");
  for (int i = 1; i <= 2000; ++i)
    builder.define_function(numbered("f", i) + "(v)", numbered("f", i - 1) + "(v) + 1");
  EXPECT_EQ(builder.type_of_expression("f100(x)"), flat(ScalarType::kDouble));
  try {
    builder.type_of_expression("f2000(x)");
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_NE(error.problem().find("expression is nested too deeply"), std::string::npos);
  }
}

TEST_F(ExpressionLimits, FunctionsThatDoubleAreRefusedBeforeMemoryEnds) {
  PlanBuilder builder(source_.schema());
  builder.define_function("f0(v)", "v");
  for (int i = 1; i <= 60; ++i) {
    const std::string inner = numbered("f", i - 1), factor = std::to_string(i);
    builder.define_function(numbered("f", i) + "(v)", inner + "(v) * " + inner + "(v * 2 + " + factor + ")");
  }
  try {
    builder.type_of_expression("f60(x)");
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_NE(error.problem().find("operations"), std::string::npos);
  }
}

TEST_F(ExpressionLimits, ConditionsOfThemselvesAreAppliedOnce) {
  PlanBuilder builder(source_.schema());
  builder.define("all0", "flag && x > 1");
  for (int i = 1; i <= 60; ++i)
    builder.define(numbered("all", i), numbered("all", i - 1) + " && " + numbered("all", i - 1));
  CollectingSink sink;
  builder.write(builder.select(kAllEntries, "all60"), {"x"}, sink);
  run(std::move(builder).build(), source_, {});
  EXPECT_EQ(sink.columns, (std::vector<CollectingSink::Rows>{{{3}}}));
}

TEST(PatternLimits, ThousandsOfFlagsAreOneExpression) {
  constexpr int kFlags = 3001;
  MemorySource source;
  for (int i = 0; i < kFlags; ++i)
    source.add<bool>(numbered("flag", i), std::vector<bool>{true, i == 2900, false, i != 2900});
  PlanBuilder builder(source.schema());
  builder.define("any", "AnyOf(\"flag*\")");
  builder.define("all", "AllOf(\"flag*\")");
  CollectingSink sink, kept;
  builder.write(kAllEntries, {"any", "all"}, sink);
  builder.define("number", "int(entry_)");
  builder.write(builder.select(kAllEntries, "AllOf(\"flag*\")"), {"number"}, kept);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(sink.columns, (std::vector<CollectingSink::Rows>{{{1}, {1}, {0}, {1}}, {{1}, {0}, {0}, {0}}}));
  EXPECT_EQ(kept.columns, (std::vector<CollectingSink::Rows>{{{0}}}));
}

TEST_F(ExpressionLimits, RegularExpressionsThatExplodeAreRefusedOrFast) {
  EXPECT_EQ(problem_with("regex_search(text, \"" + repeated("(a|b)?", 20000) + "\")"),
            "the regular expression is too large");
  EXPECT_NE(problem_with("regex_search(text, \"(((a{100}){100}){100})\")"), "");
  PlanBuilder builder(source_.schema());
  builder.define("found", "regex_search(text, \"(a*)*(a|aa)*c\")");
  EXPECT_EQ(values_of(std::move(builder), "found"), (std::vector<double>{0, 0, 0}));
}

TEST_F(ExpressionLimits, SizesFromDataAreRefusedByEntry) {
  const std::string list = "a list of more than 16777216 elements in ";
  for (const char* expression : {"Range(n)", "Range(-n, n, 1)", "Combinations(n, 2)", "Combinations(n, n, n)",
                                 "Take(Range(2), n, 0)", "Take(Range(2), -n, 0)"})
    EXPECT_EQ(fault_of(expression), list + "\"" + expression + "\" at entry 2");
  EXPECT_EQ(fault_of("Combinations(n, 0)"), "");
  EXPECT_EQ(fault_of("Combinations(Range(n > 2 ? 6000 : 2), 2)"),
            list + "\"Combinations(Range(n > 2 ? 6000 : 2), 2)\" at entry 2");
  EXPECT_NE(fault_of("ForEach(Range(n > 1 ? 20000 : 1), Range(n > 1 ? 20000 : 1))").find("at entry 1"),
            std::string::npos);
}

std::size_t refused_entry(std::span<const bool> flags, const ColumnView& first, const ColumnView& second) {
  ColumnBuffer results;
  try {
    interleave(flags, first, second, second.type, results);
  } catch (const EntryFault& fault) {
    return fault.index;
  }
  return flags.size();
}

// Offsets as if lists held as much as files can give; the values behind them must not be read.
TEST(Interleave, RefusesMoreThanOffsetsCount) {
  const std::array<std::uint32_t, 2> offsets{0, 0x7fffffff};
  const ColumnView side{jagged(ScalarType::kBool), 1, nullptr, offsets.data(), false};
  EXPECT_EQ(refused_entry(std::array{true, false}, side, side), 0u);
}

TEST(Interleave, RefusesMoreThanInnerOffsetsCount) {
  constexpr std::uint32_t kLists = 17;
  std::vector<std::uint32_t> offsets, inner_offsets;
  for (std::uint32_t i = 0; i <= kLists; ++i) {
    offsets.push_back(i);
    inner_offsets.push_back(i << 24);
  }
  const ColumnView deep{
      doubly_jagged(ScalarType::kBool), kLists, nullptr, offsets.data(), false, inner_offsets.data()};
  EXPECT_EQ(refused_entry(std::array<bool, kLists>{}, ColumnView{}, deep), 16u);
}

}  // namespace
}  // namespace skimline
