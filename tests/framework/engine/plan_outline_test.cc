// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/plan_outline.h"

#include "memory_source.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::SummingAccumulator;

Schema short_schema() {
  Schema schema;
  schema.add({"n", flat(ScalarType::kUInt32), ""});
  schema.add({"pt", jagged(ScalarType::kFloat), ""});
  schema.add({"met", flat(ScalarType::kFloat), ""});
  return schema;
}

std::vector<std::string> texts_of(const OutlinedEntries& entries) {
  std::vector<std::string> texts;
  for (const OutlinedNode& node : entries.nodes)
    if (!node.is_conversion) texts.push_back(node.text);
  return texts;
}

TEST(PlanOutline, NestsSelectionsAndSaysWhatIsReadFirstWhere) {
  SummingAccumulator all, inner;
  CollectingSink sink;
  PlanBuilder builder(short_schema());
  builder.define("total", "Sum(pt)");
  const SelectionId some = builder.select(kAllEntries, "n > 1 && total > 30");
  builder.fill(some, {"met"}, inner);
  builder.write(some, {"total", "n"}, sink);
  builder.fill(kAllEntries, {"n"}, all);
  const PlanOutline plan = outline(std::move(builder).build());

  ASSERT_EQ(plan.entries.size(), 3u);
  EXPECT_EQ(plan.selections, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(plan.entries[0].condition, "");
  EXPECT_EQ(plan.entries[0].columns, std::vector<std::size_t>{0});
  EXPECT_EQ(plan.entries[0].fills, std::vector<std::size_t>{1});
  EXPECT_EQ(plan.entries[1].condition, "n > 1");
  EXPECT_EQ(plan.entries[1].outer, 0u);
  EXPECT_EQ(plan.entries[1].columns, std::vector<std::size_t>{1});
  EXPECT_TRUE(plan.entries[1].is_filter);
  EXPECT_EQ(texts_of(plan.entries[1]), (std::vector<std::string>{"Sum(pt)", "total > 30"}));
  EXPECT_EQ(plan.entries[1].nodes[0].definition, "total");
  EXPECT_EQ(plan.entries[1].nodes[0].type, flat(ScalarType::kFloat));
  EXPECT_FALSE(plan.entries[1].nodes[0].is_condition);
  EXPECT_TRUE(plan.entries[1].nodes.back().is_condition);
  EXPECT_EQ(plan.entries[2].outer, 1u);
  EXPECT_EQ(plan.entries[2].condition, "total > 30");
  EXPECT_EQ(plan.entries[2].columns, std::vector<std::size_t>{2});  // n is there
  EXPECT_EQ(plan.entries[2].fills, std::vector<std::size_t>{0});
  EXPECT_EQ(plan.entries[2].writes, std::vector<std::size_t>{0});
}

TEST(PlanOutline, SidesOfConditionsAreNoSelections) {
  SummingAccumulator sum;
  PlanBuilder builder(short_schema());
  builder.fill(kAllEntries, {"n > 0 ? Max(pt) : met"}, sum);
  const PlanOutline plan = outline(std::move(builder).build());
  ASSERT_EQ(plan.entries.size(), 3u);
  for (std::size_t side : {1, 2}) {
    EXPECT_EQ(plan.entries[side].condition, "n > 0");
    EXPECT_EQ(plan.entries[side].keep_when, side == 1);
    EXPECT_FALSE(plan.entries[side].is_filter);
  }
  EXPECT_EQ(plan.entries[1].columns, std::vector<std::size_t>{1});
  EXPECT_EQ(plan.entries[2].columns, std::vector<std::size_t>{2});
}

}  // namespace
}  // namespace skimline
