// SPDX-License-Identifier: BSD-3-Clause
#include "columns/read_ahead.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr ReadingCost kSlow{1e-3, 1e9}, kFast{1e-4, 1e9};

// Slices of 10 bytes each; how often each was fetched.
struct Fetches {
  std::size_t num_slices = 100;
  ReadingCost cost = kSlow;
  std::map<std::size_t, int> count;

  ReadAhead::Slices slices() {
    return {[this] { return num_slices; }, [this](std::size_t) { return cost; },
            [this](std::size_t slice, ReaderThreads&) {
              ++count[slice];
              return std::uint64_t{10};
            }};
  }
  std::size_t last() const { return count.empty() ? 0 : count.rbegin()->first; }
};

TEST(ReadAhead, FetchesEachSliceOnce) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(1000), fetches.slices());
  ahead.begin(0);
  for (std::size_t slice = 0; slice < fetches.num_slices; ++slice) ahead.note_opened(slice);
  EXPECT_EQ(fetches.count.size(), fetches.num_slices);
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 1) << slice;
}

TEST(ReadAhead, StaysWithinItsBytes) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(70), fetches.slices());
  ahead.begin(0);
  for (std::size_t slice = 0; slice < 50; ++slice) {
    ahead.note_opened(slice);
    EXPECT_LE(fetches.last(), slice + 7);
  }
  EXPECT_EQ(fetches.last(), 49 + 7U);
}

TEST(ReadAhead, BeginsWithFewSlices) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(1'000'000), fetches.slices());
  ahead.begin(0);
  ahead.note_opened(0);
  EXPECT_LT(fetches.last(), 10U);
  for (std::size_t slice = 1; slice < 20; ++slice) ahead.note_opened(slice);
  EXPECT_GT(fetches.last(), 35U);
}

TEST(ReadAhead, SlicesAreOpenedInAnyOrder) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(60), fetches.slices());
  ahead.begin(0);
  for (const std::size_t first : {0U, 10U, 1U, 11U, 2U, 12U, 3U, 13U, 4U, 5U, 6U, 7U, 8U, 9U, 14U})
    ahead.note_opened(first);
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 1) << slice;
}

TEST(ReadAhead, SourcesThatBeginAgainAreFetchedAgain) {
  const auto ahead = std::make_shared<ReadAhead>(1'000'000);
  std::vector<Fetches> fetches(6);
  std::vector<std::unique_ptr<AheadSource>> sources;
  for (Fetches& each : fetches) {
    each.num_slices = 2;
    sources.push_back(std::make_unique<AheadSource>(ahead, each.slices()));
  }
  for (int round = 1; round <= 3; ++round) {
    for (const auto& source : sources) source->begin(0);
    for (const auto& source : sources)
      for (const std::size_t slice : {0U, 1U}) source->note_opened(slice);
    for (const Fetches& each : fetches)
      EXPECT_EQ(each.count, (std::map<std::size_t, int>{{0, round}, {1, round}}));
  }
  sources[2]->begin(0);
  sources[4]->note_opened(0);
  EXPECT_EQ(fetches[2].count.at(0), 3) << "what comes before is not waited for";
  sources[2]->note_opened(0);
  EXPECT_EQ(fetches[2].count.at(1), 4);
}

TEST(ReadAhead, DoesNothingWhereStorageIsFast) {
  Fetches fetches;
  fetches.cost = kFast;
  AheadSource ahead(std::make_shared<ReadAhead>(1000), fetches.slices());
  ahead.begin(0);
  ahead.note_opened(0);
  EXPECT_TRUE(fetches.count.empty());
  EXPECT_EQ(ahead.threads_for(kFast), nullptr);
  EXPECT_NE(ahead.threads_for(kSlow), nullptr);
}

TEST(ReadAhead, DoesNothingWithoutMemoryOrBeforeItBegins) {
  Fetches fetches;
  AheadSource none(std::make_shared<ReadAhead>(0), fetches.slices());
  AheadSource early(std::make_shared<ReadAhead>(1000), fetches.slices());
  none.begin(0);
  for (AheadSource* ahead : {&none, &early}) {
    ahead->note_opened(0);
    EXPECT_TRUE(fetches.count.empty());
    EXPECT_EQ(ahead->threads_for({1, 1e6}), nullptr);
  }
}

TEST(ReadAhead, ASecondRunBeginsAnew) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(1000), fetches.slices());
  for (int run = 0; run < 2; ++run) {
    ahead.begin(0);
    for (std::size_t slice = 0; slice < fetches.num_slices; ++slice) ahead.note_opened(slice);
  }
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 2) << slice;
}

// Groups of slices that follow each other are one reading.
TEST(ReadAhead, GoesOnWhereItWas) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(1000), fetches.slices());
  for (std::size_t first = 0; first < fetches.num_slices; first += 10) {
    ahead.begin(first);
    for (std::size_t slice = first; slice < first + 10; ++slice) ahead.note_opened(slice);
  }
  EXPECT_EQ(fetches.count.size(), fetches.num_slices);
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 1) << slice;
}

// What comes in the time of one request: 1 ms of 100 MB/s are 100 kB.
TEST(ReadAhead, ManySmallSlicesAreOneOfTheFirst) {
  Fetches fetches;
  fetches.num_slices = 20'000;
  fetches.cost.least_seconds = 1e-3;
  AheadSource ahead(std::make_shared<ReadAhead>(10'000'000), fetches.slices());
  ahead.begin(0);
  ahead.note_opened(0);
  EXPECT_EQ(fetches.last(), 10'000U);
}

TEST(ReadAhead, GoesFromOneSourceToTheNext) {
  Fetches sources[3];
  for (Fetches& each : sources) each.num_slices = 2;
  const auto ahead = std::make_shared<ReadAhead>(1000);
  AheadSource first(ahead, sources[0].slices()), second(ahead, sources[1].slices()),
      third(ahead, sources[2].slices());
  for (AheadSource* each : {&first, &second, &third}) each->begin(0);
  first.note_opened(0);
  for (const Fetches& each : sources) EXPECT_EQ(each.count, (std::map<std::size_t, int>{{0, 1}, {1, 1}}));
  first.note_opened(1);
  for (AheadSource* each : {&second, &third}) each->note_opened(0);
  for (const Fetches& each : sources) EXPECT_EQ(each.count, (std::map<std::size_t, int>{{0, 1}, {1, 1}}));
}

TEST(ReadAhead, AllSourcesStayWithinTheirBytes) {
  Fetches sources[2];
  for (Fetches& each : sources) each.num_slices = 3;
  const auto ahead = std::make_shared<ReadAhead>(30);
  AheadSource first(ahead, sources[0].slices()), second(ahead, sources[1].slices());
  first.begin(0);
  second.begin(0);
  first.note_opened(0);
  EXPECT_EQ(sources[0].count.size(), 3U);
  EXPECT_EQ(sources[1].count.size(), 1U);
  first.note_opened(1);
  EXPECT_EQ(sources[1].count.size(), 2U);
}

TEST(ReadAhead, FastSourcesArePassedOver) {
  Fetches fast, slow;
  fast.cost = kFast;
  const auto ahead = std::make_shared<ReadAhead>(1000);
  AheadSource first(ahead, slow.slices()), second(ahead, fast.slices()), third(ahead, slow.slices());
  slow.num_slices = 1;
  for (AheadSource* each : {&first, &second, &third}) each->begin(0);
  first.note_opened(0);
  EXPECT_TRUE(fast.count.empty());
  EXPECT_EQ(slow.count[0], 2);
}

TEST(ReadAhead, BytesOfARunThatEndedEarlyAreGivenBack) {
  Fetches fetches;
  AheadSource ahead(std::make_shared<ReadAhead>(50), fetches.slices());
  for (int run = 0; run < 20; ++run) {
    ahead.begin(0);
    ahead.note_opened(0);
  }
  EXPECT_EQ(fetches.count[1], 20);
}

TEST(LoadedStreams, ThoseOfMostSlicesAreLikely) {
  LoadedStreams streams;
  std::vector<bool> is_likely(4);
  EXPECT_FALSE(streams.add_likely(is_likely));
  EXPECT_EQ(is_likely, (std::vector<bool>{false, false, false, false}));
  streams.note({true, false, true});
  streams.note({true, false, false});
  streams.note({true, true, true});
  is_likely[3] = true;
  EXPECT_TRUE(streams.add_likely(is_likely));
  EXPECT_EQ(is_likely, (std::vector<bool>{true, false, true, true}));
}

}  // namespace
}  // namespace skimline::io
