// SPDX-License-Identifier: BSD-3-Clause
// Which histograms have a copy for each thread, and what that takes.
#include "histograms.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/histogram_set.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::constant_of;
using testing::spec;

constexpr std::uint64_t kMebibyte = 1 << 20;

HistogramSpec cube(Storage storage) {
  const Axis axis = Axis::regular(100, 0, 1);
  return spec({axis, axis, axis}, storage);
}

HistogramSpec line(int bins, Storage storage) { return spec({Axis::regular(bins, 0, 1)}, storage); }

// Bytes for all threads together.
std::uint64_t bytes_in_all(HistogramSet& set, int threads) {
  std::uint64_t bytes = 0;
  for (const Placement& placement : set.placements())
    bytes += placement.cell_bytes * static_cast<std::uint64_t>(placement.is_shared ? 1 : threads);
  return bytes;
}

Placement only_placement(HistogramSpec booked, HistogramSetOptions options) {
  HistogramSet set(options);
  set.add(std::move(booked));
  return set.placements().at(0);
}

TEST(Placement, CountsOneNumberPerCellAndTwoPartsPerSum) {
  constexpr std::uint64_t kCells = 102 * 102 * 102;
  const auto bytes = [](Storage storage) { return only_placement(cube(storage), {}).cell_bytes; };
  const auto lines = [](std::uint64_t size) { return (size + 63) / 64 * 64; };
  EXPECT_EQ(bytes(Storage::kCount), lines(8 * kCells));
  EXPECT_EQ(bytes(Storage::kWeighted), lines(32 * kCells));
  EXPECT_EQ(bytes(Storage::kProfile), lines(64 * kCells));
  EXPECT_EQ(only_placement(line(1, Storage::kCount), {}).cell_bytes, 64u);
}

TEST(Placement, OfAMillionBinsDoesNotMultiplyByTheThreads) {
  for (const Storage storage : {Storage::kWeighted, Storage::kProfile})
    for (const int threads : {16, 64, 256}) {
      HistogramSet set({.threads = threads, .memory_limit = 256 * kMebibyte});
      set.add(cube(storage));
      set.add(line(100, Storage::kWeighted));
      EXPECT_TRUE(set.placements()[0].is_shared);
      EXPECT_FALSE(set.placements()[1].is_shared);
      EXPECT_LT(bytes_in_all(set, threads), set.placements()[0].cell_bytes + 2 * kMebibyte);
    }
}

// 12,000 histograms with 57 M cells: the many small ones are copied, the few large ones are not.
TEST(Placement, OfALargeCollectionStaysWithinItsBudget) {
  constexpr int kThreads = 64;
  constexpr std::uint64_t kLimit = 8192 * kMebibyte;
  HistogramSet set({.threads = kThreads, .memory_limit = kLimit});
  std::uint64_t all_private = 0;
  for (int i = 0; i < 12'000; ++i) {
    const Storage storage = i % 25 < 18 ? Storage::kCount : Storage::kWeighted;
    const Axis wide = Axis::regular(120, 0, 1);
    set.add(i % 120 == 0 ? cube(storage) : i % 8 == 0 ? spec({wide, wide}, storage) : line(525, storage));
  }
  for (const Placement& placement : set.placements()) {
    all_private += kThreads * placement.cell_bytes;
    EXPECT_TRUE(placement.is_shared || placement.cell_bytes < 32 * kMebibyte);
    EXPECT_TRUE(!placement.is_shared || placement.cell_bytes > 20 << 10);
  }
  EXPECT_GT(all_private, 10 * kLimit);
  EXPECT_LE(bytes_in_all(set, kThreads), kLimit);
}

TEST(Placement, KeepsToAnyLimitThatOneCopyFitsInto) {
  for (const int threads : {2, 3, 8, 100})
    for (const std::uint64_t spare : {0u, 1u, 64u, 4096u, 100'000u, 10'000'000u}) {
      std::vector<HistogramSpec> specs;
      for (int i = 1; i < 40; ++i)
        specs.push_back(line(i * i * 37, i % 3 == 0 ? Storage::kCount : Storage::kWeighted));
      HistogramSet single({.threads = 1});
      for (const HistogramSpec& one : specs) single.add(one);
      const std::uint64_t limit = bytes_in_all(single, 1) + spare;
      HistogramSet set({.threads = threads, .memory_limit = limit});
      for (const HistogramSpec& one : specs) set.add(one);
      EXPECT_LE(bytes_in_all(set, threads), limit) << threads << " threads, " << spare;
    }
}

TEST(Placement, OfOneThreadSharesNothing) {
  EXPECT_FALSE(only_placement(cube(Storage::kProfile), {.threads = 1}).is_shared);
}

// Their cells move as they grow.
TEST(Placement, NeverSharesWhatGrows) {
  const Axis growing = Axis::categories(std::vector<std::string>{}, true);
  const HistogramSpec booked = spec({growing, Axis::regular(100'000, 0, 1)}, Storage::kWeighted);
  EXPECT_FALSE(only_placement(booked, {.threads = 16, .memory_limit = 7 * kMebibyte}).is_shared);
}

TEST(Placement, NamesTheLargestHistogramsWhereOneCopyIsTooMuch) {
  HistogramSet set({.threads = 2, .memory_limit = 10 * kMebibyte});
  for (const int bins : {1000, 100'000, 300'000, 10, 200'000}) {
    HistogramSpec booked = line(bins, Storage::kWeighted);
    booked.name = "h" + std::to_string(bins);
    set.add(booked);
  }
  try {
    set.placements();
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "the histograms need 19 MiB, more than the 10 MiB they may take; the largest: "
                 "\"h300000\" 10 MiB, \"h200000\" 7 MiB, \"h100000\" 4 MiB");
  }
  EXPECT_THROW(
      set.fill(0, std::vector<std::size_t>{0}, std::vector{constant_of(0.5, 1), constant_of(1.0, 1)}),
      ConfigError);
}

TEST(Placement, RefusesHistogramsBeyondCounting) {
  const Axis wide = Axis::regular(46'340, 0, 1);
  HistogramSet set;
  EXPECT_THROW(set.add(spec({}, Storage::kCount)), ConfigError);
  EXPECT_THROW(set.add(spec({wide, wide}, Storage::kCount)), ConfigError);
  EXPECT_THROW(set.add(spec(std::vector<Axis>(8, Axis::regular(1000, 0, 1)), Storage::kCount)), ConfigError);
  EXPECT_NO_THROW(set.add(spec({Axis::regular(46'337, 0, 1), wide}, Storage::kCount)));
}

}  // namespace
}  // namespace skimline::histograms
