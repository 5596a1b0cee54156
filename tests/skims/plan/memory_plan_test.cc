// SPDX-License-Identifier: BSD-3-Clause
#include "plan/memory_plan.h"

#include "skimline/framework/slices_in_flight.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

// Columns of 100 MB in ten slices, a skim of all of them, and histograms of 10 MB for each thread.
MemoryDemand demand() {
  MemoryDemand demand;
  demand.private_cells = 10e6;
  demand.results = 1e6;
  demand.batch = 2e6;
  demand.columns = {{60e6, 30e6, 1e6}, {40e6, 20e6, 1e6}};
  demand.skims = {{100e6, 0, 50e6, 2e6}};
  demand.slice_share = 0.1;
  demand.num_slices = 10;
  return demand;
}

TEST(MemoryPlan, GrowsWithThreadsAndSlices) {
  double last = 0;
  for (const int threads : {1, 2, 4})
    for (const std::size_t slices : {1U, 3U, 10U}) {
      if (slices > 1) {
        const double total = estimate_memory(demand(), {threads, slices}).total();
        EXPECT_GT(total, estimate_memory(demand(), {threads, slices / 3}).total());
      }
      const double least = estimate_memory(demand(), {threads, 1}).total();
      if (slices == 1) {
        EXPECT_GT(least, last);
        last = least;
      }
    }
}

TEST(MemoryPlan, IsThatOfTheParts) {
  const MemoryEstimate estimate = estimate_memory(demand(), {2, 2});
  EXPECT_EQ(estimate.histograms, 20e6);
  EXPECT_EQ(estimate.batches, 4e6);
  // Two tenths and two pages of 1 MB, decoded and as stored, which is half.
  EXPECT_NEAR(estimate.columns, 1.5 * (12e6 + 2e6 + 8e6 + 2e6), 1);
  // Two slices three times, a cluster, and its open pages.
  EXPECT_NEAR(estimate.skims, 3 * 20e6 + 50e6 + 2e6, 1);
  // With one thread four of five slices wait to be stitched.
  EXPECT_NEAR(estimate_memory(demand(), {1, 5}).skims, 3 * 40e6 + 10e6 + 50e6 + 2e6, 1);
  EXPECT_EQ(estimate.results, 0);  // columns take more, before
  EXPECT_GT(estimate.program, 0);
}

TEST(MemoryPlan, CountsNoMoreThanThereIs) {
  const MemoryEstimate estimate = estimate_memory(demand(), {64, 1000});
  EXPECT_NEAR(estimate.columns, 150e6, 1);
  EXPECT_NEAR(estimate.skims, 3 * 100e6 + 50e6 + 2e6, 1);
}

TEST(MemoryPlan, CountsResultsThatAreMoreThanTheColumns) {
  MemoryDemand more = demand();
  more.results = 1e9;
  const MemoryEstimate estimate = estimate_memory(more, {1, 1});
  EXPECT_NEAR(estimate.results + estimate.columns + estimate.batches, 1e9, 1);
}

TEST(MemoryPlan, CountsResultsThatAreKeptBesides) {
  MemoryDemand kept = demand();
  kept.all_results = 7e6;
  const double before = estimate_memory(kept, {2, 2}).total();
  kept.num_kept = 2;
  EXPECT_NEAR(estimate_memory(kept, {2, 2}).total(), before + 14e6, 1);
}

TEST(MemoryPlan, TakesAsManyThreadsAsFit) {
  const auto total = [](int threads, std::size_t slices) {
    return estimate_memory(demand(), {threads, slices}).total();
  };
  const MemoryChoice all = choose_within(1e12, {demand()}, 8).value();
  EXPECT_EQ(all.threads, 8);
  EXPECT_EQ(all.slices, default_slices_in_flight(8));
  // What fits exactly is taken, one byte less is not.
  const MemoryChoice four = choose_within(total(4, 4), {demand()}, 8).value();
  EXPECT_EQ(four.threads, 4);
  EXPECT_EQ(four.slices, 4U);
  EXPECT_EQ(choose_within(total(4, 4) - 1, {demand()}, 8)->threads, 3);
  EXPECT_TRUE(choose_within(total(1, 1), {demand()}, 8));
  EXPECT_FALSE(choose_within(total(1, 1) - 1, {demand()}, 8));
}

TEST(MemoryPlan, IsThatOfTheSampleThatNeedsMost) {
  MemoryDemand large = demand();
  large.private_cells = 1e9;
  const double limit = estimate_memory(large, {1, 1}).total();
  EXPECT_EQ(choose_within(limit, {demand(), large}, 8)->threads, 1);
  const std::string text = least_memory_text({demand(), large, demand()});
  EXPECT_NE(text.find("1.00 GB for the cells of histograms"), std::string::npos) << text;
}

}  // namespace
}  // namespace skimline::skims
