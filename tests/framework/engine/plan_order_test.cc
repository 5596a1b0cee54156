// SPDX-License-Identifier: BSD-3-Clause
// What a plan leaves out, shares and reorders: fewer columns are read, and results stay what a plain loop
// gives.
#include "engine/program.h"
#include "memory_source.h"
#include "plan_steps.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::count_steps;
using testing::MemorySource;
using testing::SummingAccumulator;
using Names = std::set<std::string>;

// Slices of two entries: in the first both flags are false, then one, then the other, then both are true.
void add_flags(MemorySource& source) {
  source.add<std::int32_t>("a", std::vector<std::int32_t>{0, 0, 1, 1, 0, 0, 1, 1});
  source.add<std::int32_t>("b", std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 1});
  source.add<std::int32_t>("list",
                           std::vector<std::vector<std::int32_t>>{{}, {1}, {2, 3}, {}, {4}, {5}, {6}, {7}});
  source.add<float>("x", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  source.add<float>("y", std::vector<float>(8, 1.f));
}

StoredBytes given(const std::vector<std::uint64_t>& bytes) {
  if (bytes.empty()) return nullptr;
  return [bytes](std::size_t column) { return bytes.at(column); };
}

// The columns loaded for each slice by one filter. `stored_bytes`: of a, b, list, x, y.
std::vector<Names> loaded_by(const std::string& where, const std::vector<std::uint64_t>& stored_bytes = {}) {
  MemorySource source(2);
  add_flags(source);
  PlanBuilder builder(source.schema(), given(stored_bytes));
  builder.select(kAllEntries, where);
  run(std::move(builder).build(), source, {});
  std::vector<Names> loaded;
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) loaded.push_back(source.loaded(slice));
  return loaded;
}

TEST(PlanOrder, LaterConditionsAreReadOnlyForWhatPassesEarlierOnes) {
  EXPECT_EQ(loaded_by("a == 1 && b == 1"), (std::vector<Names>{{"a"}, {"a", "b"}, {"a"}, {"a", "b"}}));
}

TEST(PlanOrder, FewerStoredBytesComeFirst) {
  const std::vector<Names> b_first{{"b"}, {"b"}, {"a", "b"}, {"a", "b"}};
  EXPECT_EQ(loaded_by("a == 1 && b == 1", {100, 10, 1, 1, 1}), b_first);
  EXPECT_EQ(loaded_by("b == 1 && a == 1", {100, 10, 1, 1, 1}), b_first);
}

TEST(PlanOrder, FlatColumnsComeBeforeLists) {
  const std::vector<Names> list_last{{"a"}, {"a", "list"}, {"a"}, {"a", "list"}};
  EXPECT_EQ(loaded_by("Sum(list) > 1 && a == 1", {100, 10, 1, 1, 1}), list_last);
  EXPECT_EQ(loaded_by("a == 1 && Sum(list) > 1", {100, 10, 1, 1, 1}), list_last);
}

TEST(PlanOrder, ColumnsThatWereReadCostNothing) {
  // x alone is dearer than b, but after `a == 1 && x > 0` it is there.
  MemorySource source(2);
  add_flags(source);
  PlanBuilder builder(source.schema(), given({1, 10, 1, 100, 1}));
  const SelectionId first = builder.select(kAllEntries, "x > 0");
  builder.select(first, "b == 1 && x > 3.5");
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(source.loaded(0), Names{"x"});
  EXPECT_EQ(source.loaded(1), (Names{"x", "b"}));
}

TEST(PlanOrder, FewerStepsComeFirst) {
  MemorySource source(2);
  add_flags(source);
  PlanBuilder builder(source.schema(), given({1, 1, 1, 1, 1}));
  builder.select(kAllEntries, "sqrt(abs(x) + 1) * 2 > 0 && x + 1 > 0 && x > 4.5f");
  const Plan plan = std::move(builder).build();
  const std::string steps = plan.description();
  EXPECT_LT(steps.find("x > 4.5f"), steps.find("x + 1 > 0"));
  EXPECT_LT(steps.find("x + 1 > 0"), steps.find("sqrt"));
}

TEST(PlanOrder, TheOrderOfSelectionsStays) {
  MemorySource source(2);
  add_flags(source);
  PlanBuilder builder(source.schema(), given({1, 1, 100, 1, 1}));
  const SelectionId first = builder.select(kAllEntries, "Sum(list) > 2");
  builder.select(first, "a == 1");
  const RunReport report = run(std::move(builder).build(), source, {});
  EXPECT_EQ(report.entries_kept, (std::vector<std::uint64_t>{8, 5, 3}));
  EXPECT_EQ(source.loaded(0), Names{"list"});
}

TEST(PlanOrder, WhatCanFailStaysBehindWhatStoodBeforeIt) {
  EXPECT_NO_THROW(loaded_by("Sum(list) > 0 && list[0] > 1", {1, 1, 1, 1, 1}));
  EXPECT_NO_THROW(loaded_by("Sum(list) > 1 && x > 0 && list[0] > 1", {1, 1, 1, 1000, 1}));
  EXPECT_NO_THROW(loaded_by("a == 1 && 10 / a > 1", {1000, 1, 1, 1, 1}));
  EXPECT_THROW(loaded_by("list[0] > 1 && Sum(list) > 0"), EvaluationError);
}

// Else a run would fail or not depending on how well a file is compressed.
TEST(PlanOrder, FaultsDoNotDependOnStoredBytes) {
  for (const std::uint64_t bytes_of_a : {1, 1000})
    for (const std::uint64_t bytes_of_b : {1, 1000}) {
      EXPECT_THROW(loaded_by("10 / a > 1 && b == 7", {bytes_of_a, bytes_of_b, 1, 1, 1}), EvaluationError);
      EXPECT_NO_THROW(loaded_by("list[0] > 1 && b == 7", {bytes_of_a, bytes_of_b, 1, 1, 1}));
    }
}

TEST(PlanOrder, UnusedDefinitionsAndColumnsCostNothing) {
  MemorySource source(2);
  add_flags(source);
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.define("unused", "Sum(list) + 10 / a");
  builder.define("unused_too", "unused * y");
  builder.define("twice", "x * 2");
  builder.type_of_expression("sqrt(y)");
  builder.fill(kAllEntries, {"twice"}, sum);
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(plan.columns_read(), std::vector<std::string>{"x"});
  EXPECT_EQ(count_steps(plan, StepKind::kKernel), 0u);
  EXPECT_EQ(count_steps(plan, StepKind::kColumn), 1u);
  EXPECT_EQ(count_steps(plan, StepKind::kLoop), 1u);
  run(plan, source, {});
  for (std::size_t slice = 0; slice < 4; ++slice) EXPECT_EQ(source.loaded(slice), Names{"x"});
  EXPECT_EQ(sum.sum, 72);
}

TEST(PlanOrder, SelectionsLoadOnlyTheirOwnColumns) {
  MemorySource source(2);
  add_flags(source);
  SummingAccumulator first, second;
  PlanBuilder builder(source.schema());
  builder.fill(builder.select(kAllEntries, "a == 1"), {"x", "y"}, first);
  builder.fill(builder.select(kAllEntries, "b == 1"), {"y"}, second);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(source.loaded(0), (Names{"a", "b"}));
  EXPECT_EQ(source.loaded(1), (Names{"a", "b", "x", "y"}));
  EXPECT_EQ(source.loaded(2), (Names{"a", "b", "y"}));
}

// Whatever the order in which they were asked for.
TEST(PlanOrder, WhatAnOuterSelectionComputesIsNotComputedAgainInside) {
  MemorySource source(2);
  add_flags(source);
  SummingAccumulator inner, outer;
  PlanBuilder builder(source.schema());
  builder.define("total", "Sum(list)");
  const SelectionId first = builder.select(kAllEntries, "a == 1");
  builder.fill(builder.select(first, "total > 5"), {"total"}, inner);
  builder.fill(first, {"total"}, outer);
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(count_steps(plan, StepKind::kKernel), 1u);
  run(plan, source, {});
  EXPECT_EQ(inner.sum, 6 + 7);
  EXPECT_EQ(outer.sum, 5 + 0 + 6 + 7);
}

// One condition, and the same in C++; nothing where it has no answer.
struct Entry {
  std::int32_t n;
  float x;
  std::vector<std::int32_t> list;
};
struct Condition {
  const char* text;
  std::function<std::optional<bool>(const Entry&)> plain;
};

const std::vector<Condition>& conditions() {
  static const std::vector<Condition> all{
      {"n > 0", [](const Entry& e) { return e.n > 0; }},
      {"n < 3", [](const Entry& e) { return e.n < 3; }},
      {"x < 600", [](const Entry& e) { return e.x < 600; }},
      {"(x > 100 || n == 2)", [](const Entry& e) { return e.x > 100 || e.n == 2; }},
      {"list.size() > 1", [](const Entry& e) { return e.list.size() > 1; }},
      {"Any(list > 40)",
       [](const Entry& e) {
         return std::any_of(e.list.begin(), e.list.end(), [](int v) { return v > 40; });
       }},
      {"(n == 0 || 12 / n > 3)", [](const Entry& e) { return e.n == 0 || 12 / e.n > 3; }},
      {"12 / n > 4", [](const Entry& e) { return e.n == 0 ? std::nullopt : std::optional(12 / e.n > 4); }},
      {"list[0] > 20",
       [](const Entry& e) { return e.list.empty() ? std::nullopt : std::optional(e.list[0] > 20); }},
      {"list[1] < 70",
       [](const Entry& e) { return e.list.size() < 2 ? std::nullopt : std::optional(e.list[1] < 70); }},
  };
  return all;
}

struct Expected {
  CollectingSink::Rows kept;
  bool fails = false;  // where conditions are taken from left to right
};

Expected plain_loop(const std::vector<Entry>& entries, const std::vector<std::size_t>& chosen) {
  Expected expected;
  for (const Entry& entry : entries) {
    bool passes = true;
    for (std::size_t i = 0; i < chosen.size() && passes; ++i) {
      const std::optional<bool> answer = conditions()[chosen[i]].plain(entry);
      expected.fails |= !answer;
      passes = answer.value_or(false);
    }
    if (passes) expected.kept.push_back({entry.x});
  }
  return expected;
}

std::optional<CollectingSink::Rows> kept_by(MemorySource& source, const std::string& where,
                                            const std::vector<std::uint64_t>& stored_bytes) {
  PlanBuilder builder(source.schema(), given(stored_bytes));
  CollectingSink sink;
  builder.write(builder.select(kAllEntries, where), {"x"}, sink);
  try {
    run(std::move(builder).build(), source, {});
  } catch (const EvaluationError&) {
    return std::nullopt;
  }
  return sink.columns.empty() ? CollectingSink::Rows{} : sink.columns[0];
}

TEST(PlanOrder, RandomConditionsKeepWhatAPlainLoopKeeps) {
  std::mt19937 random(11);
  std::vector<Entry> entries(1000);
  MemorySource source(300);
  std::vector<std::int32_t> n;
  std::vector<float> x;
  std::vector<std::vector<std::int32_t>> lists;
  for (Entry& entry : entries) {
    entry = {static_cast<std::int32_t>(random() % 4), static_cast<float>(random() % 1000), {}};
    for (unsigned i = random() % 4; i > 0; --i)
      entry.list.push_back(static_cast<std::int32_t>(random() % 100));
    n.push_back(entry.n);
    x.push_back(entry.x);
    lists.push_back(entry.list);
  }
  source.add<std::int32_t>("n", n);
  source.add<float>("x", x);
  source.add<std::int32_t>("list", lists);

  int num_failed = 0, num_kept = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::size_t> chosen;
    std::string where;
    for (auto i = 1 + random() % 6; i > 0; --i) {
      chosen.push_back(random() % conditions().size());
      where += (where.empty() ? "" : " && ") + std::string(conditions()[chosen.back()].text);
    }
    const Expected expected = plain_loop(entries, chosen);
    const auto kept = kept_by(source, where, {1 + random() % 100, 1 + random() % 100, 1 + random() % 100});
    // Where the plain loop finds no fault there is none. Else a condition that moved may have spared it.
    ASSERT_TRUE(kept || expected.fails) << where;
    if (kept) {
      ASSERT_EQ(*kept, expected.kept) << where;
    }
    ASSERT_EQ(kept_by(source, where, {1, 1, 1}).has_value(), kept.has_value()) << where;
    num_failed += kept ? 0 : 1;
    num_kept += kept && !kept->empty() ? 1 : 0;
  }
  EXPECT_GT(num_failed, 40);
  EXPECT_GT(num_kept, 100);
}

}  // namespace
}  // namespace skimline
