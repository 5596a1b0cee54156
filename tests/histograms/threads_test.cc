// SPDX-License-Identifier: BSD-3-Clause
// Threads that fill shared and private histograms at once; also meant for the thread sanitizer.
#include "histograms.h"

#include "skimline/histograms/histogram_set.h"

#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::expect_same_bits;
using testing::spec;
using testing::view_of;

constexpr std::size_t kThreads = 8;
constexpr std::size_t kBatches = 12;
constexpr std::size_t kBatch = 1500;

struct GaussianEvents {
  std::vector<double> x, y, weights;
  std::vector<std::int64_t> ids;

  GaussianEvents() {
    std::mt19937_64 random(11);
    std::normal_distribution<double> gauss;
    for (std::size_t i = 0; i < kThreads * kBatches * kBatch; ++i) {
      x.push_back(gauss(random));
      y.push_back(gauss(random));
      weights.push_back(gauss(random) * std::pow(10.0, static_cast<int>(random() % 40) - 20));
      ids.push_back(static_cast<std::int64_t>(random() % 50));
    }
  }
};

// Small ones of each storage, a growing one, and large ones: 256 KiB is where sharing may begin.
std::vector<HistogramSpec> specs() {
  const Axis fine = Axis::regular(200, -4, 4), coarse = Axis::regular(20, -4, 4);
  const Axis growing = Axis::categories(std::vector<std::int64_t>{}, true);
  return {spec({coarse}, Storage::kCount),      spec({coarse}, Storage::kWeighted),
          spec({coarse}, Storage::kProfile),    spec({growing, coarse}, Storage::kWeighted),
          spec({fine, fine}, Storage::kCount),  spec({fine, fine}, Storage::kWeighted),
          spec({fine, fine}, Storage::kProfile)};
}

HistogramSet booked(HistogramSetOptions options) {
  HistogramSet set(options);
  for (const HistogramSpec& one : specs()) set.add(one);
  return set;
}

std::vector<ColumnView> columns(const GaussianEvents& events, const HistogramSpec& spec, std::size_t first,
                                std::size_t count) {
  std::vector<ColumnView> views;
  for (const Axis& axis : spec.axes)
    views.push_back(axis.is_category() ? view_of(events.ids, first, count)
                                       : view_of(views.empty() ? events.x : events.y, first, count));
  if (spec.storage == Storage::kProfile) views.push_back(view_of(events.y, first, count));
  if (spec.storage != Storage::kCount) views.push_back(view_of(events.weights, first, count));
  return views;
}

void fill(HistogramSet& set, const GaussianEvents& events, std::size_t slot, std::size_t first,
          std::size_t count) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    const std::size_t id = (i + slot) % set.size();
    EXPECT_FALSE(set.fill(slot, std::vector{id}, columns(events, set.spec(id), first, count)));
  }
}

std::vector<Histogram> filled_by_one(const GaussianEvents& events) {
  HistogramSet set = booked({});
  fill(set, events, 0, 0, events.x.size());
  return set.reduce();
}

std::uint64_t bytes_of(HistogramSet& set) {
  std::uint64_t bytes = 0;
  for (const Placement& placement : set.placements()) bytes += placement.cell_bytes;
  return bytes;
}

class Threads : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Placements, Threads, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Shared" : "Private"; });

TEST_P(Threads, FillAtOnceAsOneWould) {
  const GaussianEvents events;
  HistogramSet single = booked({});
  HistogramSet set = booked(
      {.threads = static_cast<int>(kThreads), .memory_limit = GetParam() ? bytes_of(single) + (1 << 20) : 0});
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (std::size_t slot = 0; slot < kThreads; ++slot)
    threads.emplace_back([&, slot] {
      for (std::size_t batch = next++; batch < kThreads * kBatches; batch = next++)
        fill(set, events, slot, batch * kBatch, kBatch);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(set.placements()[6].is_shared, GetParam());
  EXPECT_FALSE(set.placements()[0].is_shared);
  const std::vector<Histogram> results = set.reduce(), expected = filled_by_one(events);
  for (std::size_t id = 0; id < results.size(); ++id) {
    SCOPED_TRACE("histogram " + std::to_string(id));
    expect_same_bits(results[id], expected[id]);
  }
}

// All fills of all threads go to one cell of a shared histogram, whose parts outgrow their range.
TEST(ThreadsOnOneCell, LoseNothing) {
  HistogramSet set({.threads = static_cast<int>(kThreads), .memory_limit = 1 << 20});
  const std::vector<std::size_t> ids{set.add(spec({Axis::regular(30'000, 0, 30'000)}, Storage::kWeighted))};
  ASSERT_TRUE(set.placements()[0].is_shared);
  std::vector<std::thread> threads;
  for (std::size_t slot = 0; slot < kThreads; ++slot)
    threads.emplace_back([&, slot] {
      const auto weight = static_cast<double>(std::uint64_t{1} << (5 * slot));
      for (std::size_t batch = 0; batch < kBatches; ++batch)
        EXPECT_FALSE(set.fill(
            slot, ids, std::vector{testing::constant_of(7.0, kBatch), testing::constant_of(weight, kBatch)}));
    });
  for (std::thread& thread : threads) thread.join();
  double weights = 0, squares = 0;
  for (std::size_t slot = 0; slot < kThreads; ++slot) {
    weights += std::ldexp(kBatches * kBatch, static_cast<int>(5 * slot));
    squares += std::ldexp(kBatches * kBatch, static_cast<int>(10 * slot));
  }
  const Histogram result = set.reduce(0);
  EXPECT_EQ(result.contents()[8], weights);
  EXPECT_EQ(result.variances()[8], squares);
  EXPECT_EQ(result.entries, kThreads * kBatches * kBatch);
}

}  // namespace
}  // namespace skimline::histograms
