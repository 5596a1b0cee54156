// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/plan.h"

#include "engine/program.h"
#include "memory_source.h"
#include "plan_steps.h"

#include "skimline/framework/runner.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::count_steps;
using testing::MemorySource;
using testing::SummingAccumulator;

Schema muon_schema() {
  Schema schema;
  schema.add({"nMuon", flat(ScalarType::kUInt32), ""});
  schema.add({"Muon_pt", jagged(ScalarType::kFloat), ""});
  schema.add({"Muon_eta", jagged(ScalarType::kFloat), ""});
  schema.add({"MET_pt", flat(ScalarType::kFloat), ""});
  schema.add({"unused", flat(ScalarType::kFloat), ""});
  return schema;
}

TEST(Plan, ComputesCommonSubexpressionsOnce) {
  SummingAccumulator a, b;
  PlanBuilder builder(muon_schema());
  builder.define("leading", "Max(Muon_pt)");
  builder.fill(kAllEntries, {"Max(Muon_pt) * 2"}, a);
  builder.fill(kAllEntries, {"leading * 2"}, b);
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(count_steps(plan, StepKind::kKernel), 1u);
  EXPECT_EQ(count_steps(plan, StepKind::kLoop), 1u);
  EXPECT_EQ(count_steps(plan, StepKind::kFill), 2u);
}

TEST(Plan, SharesEqualSelections) {
  PlanBuilder builder(muon_schema());
  const SelectionId first = builder.select(kAllEntries, "nMuon == 2");
  const SelectionId second = builder.select(kAllEntries, "nMuon == 2");
  EXPECT_EQ(first.index, second.index);
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(count_steps(plan, StepKind::kEnter), 1u);
}

TEST(Plan, ReadsOnlyTheColumnsItNeeds) {
  SummingAccumulator sum;
  PlanBuilder builder(muon_schema());
  builder.define("never_used", "unused * 2");
  builder.fill(builder.select(kAllEntries, "nMuon == 2"), {"Muon_pt"}, sum);
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(plan.columns_read(), (std::vector<std::string>{"nMuon", "Muon_pt"}));
  EXPECT_NE(plan.description().find("s1: s0 where v"), std::string::npos) << plan.description();
}

TEST(Plan, DefinitionsAreUsedBySelectionsFillsAndOutputs) {
  using Unused = std::vector<std::string>;
  SummingAccumulator sum;
  CollectingSink sink;
  PlanBuilder builder(muon_schema());
  builder.define_constant("luminosity", 1.5);
  builder.define("high", "Muon_pt > 20");
  builder.define("n_high", "Sum(high)");
  builder.define("leading", "Max(Muon_pt)");
  builder.define("scaled", "leading * luminosity");
  builder.define("central", "abs(Muon_eta) < 1");
  EXPECT_EQ(builder.unused_definitions(), (Unused{"high", "n_high", "leading", "scaled", "central"}));
  const SelectionId some = builder.select(kAllEntries, "n_high == 2 && nMuon > 1");
  EXPECT_EQ(builder.unused_definitions(), (Unused{"leading", "scaled", "central"}));
  builder.fill(some, {"Muon_pt[central]", "scaled"}, sum);
  EXPECT_EQ(builder.unused_definitions(), Unused{});
  builder.define("kept", "MET_pt * 2");
  builder.define("lost", "kept + 1");
  builder.write(some, {"MET_pt", "kept"}, sink);
  EXPECT_EQ(builder.unused_definitions(), Unused{"lost"});
}

TEST(Plan, AskingForTypesUsesNoDefinition) {
  SummingAccumulator sum;
  PlanBuilder builder(muon_schema());
  builder.define("x", "MET_pt * 2");
  builder.define("y", "MET_pt * 3");
  EXPECT_EQ(builder.type_of_expression("x + 1"), flat(ScalarType::kFloat));
  EXPECT_EQ(builder.type_of("x"), flat(ScalarType::kFloat));
  EXPECT_THROW(builder.select(kAllEntries, "x"), ExpressionError);
  EXPECT_THROW(builder.fill(kAllEntries, {"x", "no_such_name"}, sum), ExpressionError);
  builder.fill(kAllEntries, {"y"}, sum);
  EXPECT_EQ(builder.unused_definitions(), std::vector<std::string>{"x"});
}

TEST(Plan, LoadsColumnsOnlyForSlicesWithSurvivors) {
  MemorySource source(4);
  source.add<std::int32_t>("n", std::vector<std::int32_t>{0, 0, 0, 0, 0, 1, 0, 1, 0, 0});
  source.add<float>("x", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  source.add<float>("y", std::vector<float>{1, 2, 3, 4, 5, -6, 7, -8, 9, 10});
  source.add<float>("z", std::vector<float>(10, 1.f));
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  const SelectionId some = builder.select(kAllEntries, "n == 1");
  builder.fill(some, {"x"}, sum);
  builder.fill(builder.select(some, "y > 0"), {"z"}, sum);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(source.loaded(0), std::set<std::string>{"n"});
  EXPECT_EQ(source.loaded(1), (std::set<std::string>{"n", "x", "y"}));
  EXPECT_EQ(source.loaded(2), std::set<std::string>{"n"});
  EXPECT_EQ(sum.sum, 6 + 8);
}

}  // namespace
}  // namespace skimline
