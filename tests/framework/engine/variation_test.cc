// SPDX-License-Identifier: BSD-3-Clause
// Variations of a plan: what follows a replacement, what is shared, and what cannot be replaced.
#include "engine/program.h"
#include "memory_source.h"
#include "plan_steps.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/plan_outline.h"
#include "skimline/framework/runner.h"

#include <numbers>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::count_steps;
using testing::MemorySource;
using testing::SummingAccumulator;

class Jets : public MemorySource {
 public:
  Jets() : MemorySource(2) {
    add<float>("Jet_pt", {{30, 20}, {50}, {}, {29.5f, 10, 40}});
    add<float>("Jet_eta", {{1, 2}, {3}, {}, {-1, 0, 0.5f}});
    add<std::int32_t>("nLepton", std::vector<std::int32_t>{1, 1, 0, 1});
  }
};

double filled(MemorySource& source, PlanBuilder builder, const SummingAccumulator& sum) {
  run(std::move(builder).build(), source, {});
  return sum.sum;
}

TEST(Variation, DefinitionsFollowAColumn) {
  Jets source;
  SummingAccumulator nominal, up;
  PlanBuilder builder(source.schema());
  builder.define("good", "Jet_pt[Jet_pt > 30]");
  builder.define("ht", "Sum(good)");
  const VariationId variation = builder.vary("up", {{"Jet_pt", "Jet_pt * 2"}});
  builder.fill(kAllEntries, {"ht"}, nominal);
  builder.fill_varied(kAllEntries, {VariedExpression{"ht", variation}}, up);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(nominal.sum, 50 + 40);
  EXPECT_EQ(up.sum, 60 + 40 + 100 + 59 + 80);
}

TEST(Variation, ReplacementsAreMadeOfNominalValues) {
  Jets source;
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.define("shift", "Sum(Jet_pt)");
  const VariationId variation =
      builder.vary("up", {{"Jet_pt", "Jet_pt + shift"}, {"Jet_eta", "Jet_eta + Jet_pt"}});
  builder.fill_varied(kAllEntries, {VariedExpression{"Sum(Jet_eta)", variation}}, sum);
  EXPECT_EQ(filled(source, std::move(builder), sum), 1 + 2 + 3 - 1 + 0 + 0.5 + 50 + 50 + 79.5);
}

TEST(Variation, DefinitionsMayBeReplaced) {
  Jets source;
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.define("weight", "1.");
  builder.define("product", "weight * nLepton");
  const VariationId variation = builder.vary("up", {{"weight", "1.5"}});
  builder.fill_varied(kAllEntries, {VariedExpression{"product", variation}}, sum);
  EXPECT_EQ(filled(source, std::move(builder), sum), 4.5);
}

TEST(Variation, LaterDefinitionsFollowToo) {
  Jets source;
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  const VariationId variation = builder.vary("up", {{"Jet.pt", "Jet_pt * 2"}});
  builder.define("ht", "Sum(Jet_pt)");
  builder.fill_varied(kAllEntries, {VariedExpression{"ht", variation}}, sum);
  EXPECT_EQ(filled(source, std::move(builder), sum), 2 * 179.5);
}

TEST(Variation, NamesMeanWhatTheyMeantWhereADefinitionStands) {
  Jets source;
  SummingAccumulator nominal, up;
  PlanBuilder builder(source.schema());
  builder.add_collection({"Jet", true, {{"pt", "Jet_pt"}, {"eta", "Jet_eta"}}});
  builder.define_objects({"hard", "Jet", "pt > 30", ""});
  builder.define("ht", "nLepton * Sum(hard_pt)");
  builder.define("angle", "nLepton * M_PI");
  // Other values by the names that these definitions know.
  builder.define("hard_pt", "Jet_eta");
  builder.define("M_PI", "3");
  const VariationId variation = builder.vary("up", {{"nLepton", "nLepton * 2"}});
  builder.fill(kAllEntries, {"ht + angle"}, nominal);
  builder.fill_varied(kAllEntries, {VariedExpression{"ht + angle", variation}}, up);
  run(std::move(builder).build(), source, {});
  EXPECT_DOUBLE_EQ(nominal.sum, 50 + 40 + 3 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(up.sum, 2 * nominal.sum);
}

TEST(Variation, ADefinitionMayBeThatOfAVariation) {
  Jets source;
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  const VariationId variation = builder.vary("up", {{"nLepton", "2"}});
  builder.define("both", "nLepton * 10", variation);
  builder.fill(kAllEntries, {"both + nLepton"}, sum);
  EXPECT_EQ(filled(source, std::move(builder), sum), 4 * 20 + 3);
}

TEST(Variation, WhatDoesNotDependIsComputedOnce) {
  Jets source;
  SummingAccumulator nominal, up;
  PlanBuilder builder(source.schema());
  builder.define("central", "Sum(abs(Jet_eta) < 2)");
  builder.define("ht", "Sum(Jet_pt)");
  const VariationId variation = builder.vary("up", {{"Jet_pt", "Jet_pt * 2"}});
  const SelectionId one = builder.select(kAllEntries, "nLepton == 1");
  EXPECT_EQ(builder.select(kAllEntries, "nLepton == 1", variation).index, one.index);
  EXPECT_NE(builder.select(one, "ht > 60", variation).index, builder.select(one, "ht > 60").index);
  EXPECT_EQ(builder.value_number({"central + 1", variation}), builder.value_number({"central + 1"}));
  EXPECT_NE(builder.value_number({"ht", variation}), builder.value_number({"ht"}));
  builder.fill_varied(one, {VariedExpression{"ht"}, VariedExpression{"central"}}, nominal);
  builder.fill_varied(one, {VariedExpression{"ht", variation}, VariedExpression{"central", variation}}, up);
  const Plan plan = std::move(builder).build();
  // One sum of the mask and two of momenta.
  EXPECT_EQ(count_steps(plan, StepKind::kKernel), 3u);
}

TEST(Variation, AReplacementHasTheShapeOfWhatItReplaces) {
  const Jets source;
  PlanBuilder builder(source.schema());
  EXPECT_NO_THROW(builder.vary("up", {{"Jet_pt", "Jet_pt * 1.5"}}));
  EXPECT_NO_THROW(builder.vary("up", {{"nLepton", "nLepton > 0"}}));
  EXPECT_THROW(builder.vary("up", {{"Jet_pt", "nLepton * 1."}}), ExpressionError);
  EXPECT_THROW(builder.vary("up", {{"nLepton", "nLepton * 1.5"}}), ExpressionError);
  EXPECT_NO_THROW(builder.vary("up", {{"Jet_pt", "Jet_pt > 20"}}));
  try {
    builder.vary("up", {{"Jet_py", "Jet_pt"}});
    FAIL();
  } catch (const SchemaError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"Jet_pt\"?"), std::string::npos) << error.what();
  }
}

TEST(Variation, DescriptionsSayWhichVariationItIs) {
  const Jets source;
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.define("good", "Jet_pt > 30");
  const VariationId variation = builder.vary("up", {{"Jet_pt", "Jet_pt * 2"}});
  builder.fill_varied(kAllEntries, {VariedExpression{"Sum(good)", variation}}, sum);
  std::vector<std::string> names;
  for (const OutlinedEntries& entries : outline(std::move(builder).build()).entries)
    for (const OutlinedNode& node : entries.nodes)
      if (!node.definition.empty()) names.push_back(node.definition);
  EXPECT_EQ(names, (std::vector<std::string>{"Jet_pt in up", "good in up"}));
}

TEST(Variation, WhatOnlyAReplacementNeedsIsUsed) {
  Jets source;
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.define("factor", "1.5");
  builder.define("never", "2.5");
  const VariationId variation = builder.vary("up", {{"Jet_pt", "Jet_pt * factor"}});
  builder.fill_varied(kAllEntries, {VariedExpression{"Sum(Jet_pt)", variation}}, sum);
  EXPECT_EQ(builder.unused_definitions(), std::vector<std::string>{"never"});
}

}  // namespace
}  // namespace skimline
