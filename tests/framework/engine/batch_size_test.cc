// SPDX-License-Identifier: BSD-3-Clause
#include "engine/batch_size.h"

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <numeric>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using testing::SummingAccumulator;

using Lists = std::vector<std::vector<double>>;

// Sums, and remembers the most values that came at once.
class LargestFill : public Accumulator {
 public:
  std::optional<Refusal> fill(std::size_t slot, std::span<const ColumnView> columns) override {
    largest = std::max(largest, columns[0].length);
    return sums.fill(slot, columns);
  }
  SummingAccumulator sums;
  std::size_t largest = 0;
};

// Lists of so many elements, which are small whole numbers: sums of them are exact.
Lists lists_of(const std::vector<std::size_t>& sizes) {
  Lists lists;
  for (std::size_t entry = 0; entry < sizes.size(); ++entry) {
    lists.emplace_back(sizes[entry]);
    std::iota(lists.back().begin(), lists.back().end(), static_cast<double>(entry % 7));
  }
  return lists;
}

double sum_of(const Lists& lists) {
  double sum = 0;
  for (const auto& list : lists) sum = std::accumulate(list.begin(), list.end(), sum);
  return sum;
}

// Events with a list and their number.
class ListEvents : public MemorySource {
 public:
  explicit ListEvents(const Lists& lists, std::uint64_t slice_entries = 65536) : MemorySource(slice_entries) {
    std::vector<double> numbers(lists.size());
    std::iota(numbers.begin(), numbers.end(), 0.);
    add("z", lists).add("x", numbers);
  }
};

RunOptions with_threads(int threads) {
  RunOptions options;
  options.threads = threads;
  return options;
}

// Whether batches of the sum of `expression` over the lists fit, as they do not with the usual entries.
void expect_small_batches(const Lists& lists, const std::string& expression) {
  ListEvents source(lists);
  LargestFill fill;
  PlanBuilder builder(source.schema());
  builder.fill(kAllEntries, {expression}, fill);
  const RunReport report = run(std::move(builder).build(), source, with_threads(1));
  EXPECT_EQ(report.num_entries, lists.size());
  EXPECT_LE(fill.largest * sizeof(double), kBatchBytes) << expression;
  EXPECT_GT(fill.largest, 0u);
}

TEST(BatchSize, ShrinksWithTheLengthOfLists) {
  const Lists lists = lists_of(std::vector<std::size_t>(1500, 2000));
  expect_small_batches(lists, "z * 2 + 1");
  expect_small_batches(lists, "z[z > 3]");
  expect_small_batches(lists, "Concatenate(z, z)");
  expect_small_batches(lists, "Reverse(z)");
}

TEST(BatchSize, ShrinksWithWhatKernelsMakeOfShortLists) {
  expect_small_batches(lists_of(std::vector<std::size_t>(1000, 120)), "Combinations(z, 2)[0] * 1.");
}

TEST(BatchSize, DoesEverythingOnceWhereBatchesAreCut) {
  std::vector<std::size_t> sizes;
  for (std::size_t entry = 0; entry < 6000; ++entry)
    sizes.push_back(entry % 3000 == 17 ? 3000000 : entry % 5);
  const Lists lists = lists_of(sizes);
  for (const int threads : {1, 2}) {
    ListEvents source(lists, 4500);
    SummingAccumulator outer, inner, doubled;
    CollectingSink sink;
    PlanBuilder builder(source.schema());
    builder.define("twice", "z * 2");
    const SelectionId some = builder.select(kAllEntries, "x >= 10");
    builder.fill(kAllEntries, {"x"}, outer);
    builder.fill(kAllEntries, {"twice"}, doubled);
    const SelectionId more = builder.select(some, "Sum(twice + z) >= 0");
    builder.fill(more, {"z + 0"}, inner);
    builder.write(more, {"x"}, sink);
    const RunReport report = run(std::move(builder).build(), source, with_threads(threads));
    EXPECT_EQ(outer.count, 6000u);
    EXPECT_EQ(outer.sum, 5999. * 3000);
    EXPECT_EQ(doubled.sum, 2 * sum_of(lists));
    EXPECT_EQ(inner.sum, sum_of(Lists(lists.begin() + 10, lists.end())));
    EXPECT_EQ(report.entries_kept[some.index], 5990u);
    EXPECT_EQ(report.entries_kept[more.index], 5990u);
    ASSERT_EQ(sink.columns.at(0).size(), 5990u);
    for (std::size_t i = 0; i < 5990; ++i)
      ASSERT_EQ(sink.columns[0][i], std::vector<double>{static_cast<double>(i + 10)});
  }
}

TEST(BatchSize, ReportsTheFirstFaultWhereBatchesAreCut) {
  Lists lists = lists_of(std::vector<std::size_t>(1500, 2000));
  lists[1100].clear();
  lists[1300].clear();
  ListEvents source(lists);
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.define("twice", "z * 2 + z");
  builder.fill(kAllEntries, {"twice + twice[0]"}, sum);
  const Plan plan = std::move(builder).build();
  try {
    run(plan, source, with_threads(2));
    FAIL() << "no error";
  } catch (const EvaluationError& error) {
    EXPECT_EQ(error.entry(), 1100u);
  }
}

TEST(BatchSize, MemoryIsSharedByValuesThatAreNeededAtDifferentTimes) {
  ListEvents source({{1, 2}});
  std::vector<SummingAccumulator> sums(30);
  PlanBuilder builder(source.schema());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::string name = "a" + std::to_string(i), number = std::to_string(i);
    builder.define(name, "z * " + number + ".5 + " + number);
    builder.fill(kAllEntries, {name}, sums[i]);
  }
  const Plan plan = std::move(builder).build();
  EXPECT_GE(plan.program().num_slots, 60u);
  // The lists, two constants, a product and a sum.
  EXPECT_LE(plan.program().num_buffers, 6u);
  run(plan, source, with_threads(1));
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(sums[i].sum, 3 * (static_cast<double>(i) + .5) + 2 * static_cast<double>(i));
}

TEST(BatchSize, IsEstimatedFromTheMeanSizeOfLists) {
  ListEvents source({{1, 2}});
  SummingAccumulator sum;
  PlanBuilder builder(source.schema());
  builder.fill(kAllEntries, {"z * 2"}, sum);
  const Plan plan = std::move(builder).build();
  const auto lists_of_size = [&](double size) {
    return batch_bytes_of(plan.program(), [size](std::size_t) { return size; });
  };
  EXPECT_GE(lists_of_size(2), 4096 * 2 * 2 * sizeof(double));
  EXPECT_EQ(lists_of_size(2000), 2 * static_cast<double>(kBatchBytes));
  EXPECT_GE(lists_of_size(1e8), 2e8 * sizeof(double));  // a single entry
}

}  // namespace
}  // namespace skimline
