// SPDX-License-Identifier: BSD-3-Clause
#include "columns/read_ahead.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

// Slices of 10 bytes each; how often each was fetched.
struct Fetches {
  std::size_t num_slices = 100;
  bool is_slow = true;
  std::map<std::size_t, int> count;

  ReadAhead::Slices slices() {
    return {[this] { return num_slices; }, [this](std::size_t) { return is_slow; },
            [this](std::size_t slice, ReaderThreads&) {
              ++count[slice];
              return std::uint64_t{10};
            }};
  }
  std::size_t last() const { return count.empty() ? 0 : count.rbegin()->first; }
};

TEST(ReadAhead, FetchesEachSliceOnce) {
  Fetches fetches;
  ReadAhead ahead(fetches.slices(), 1000);
  ahead.begin(0);
  for (std::size_t slice = 0; slice < fetches.num_slices; ++slice) ahead.note_opened(slice);
  EXPECT_EQ(fetches.count.size(), fetches.num_slices);
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 1) << slice;
}

TEST(ReadAhead, StaysWithinItsBytes) {
  Fetches fetches;
  ReadAhead ahead(fetches.slices(), 70);
  ahead.begin(0);
  for (std::size_t slice = 0; slice < 50; ++slice) {
    ahead.note_opened(slice);
    EXPECT_LE(fetches.last(), slice + 7);
  }
  EXPECT_EQ(fetches.last(), 49 + 7U);
}

TEST(ReadAhead, BeginsWithFewSlices) {
  Fetches fetches;
  ReadAhead ahead(fetches.slices(), 1'000'000);
  ahead.begin(0);
  ahead.note_opened(0);
  EXPECT_LT(fetches.last(), 10U);
  for (std::size_t slice = 1; slice < 20; ++slice) ahead.note_opened(slice);
  EXPECT_GT(fetches.last(), 35U);
}

TEST(ReadAhead, SlicesAreOpenedInAnyOrder) {
  Fetches fetches;
  ReadAhead ahead(fetches.slices(), 60);
  ahead.begin(0);
  for (const std::size_t first : {0U, 10U, 1U, 11U, 2U, 12U, 3U, 13U, 4U, 5U, 6U, 7U, 8U, 9U, 14U})
    ahead.note_opened(first);
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 1) << slice;
}

TEST(ReadAhead, DoesNothingWhereStorageIsFast) {
  Fetches fetches;
  fetches.is_slow = false;
  ReadAhead ahead(fetches.slices(), 1000);
  ahead.begin(0);
  ahead.note_opened(0);
  EXPECT_TRUE(fetches.count.empty());
  EXPECT_EQ(ahead.threads_for({1e-4, 1e9}), nullptr);
  EXPECT_NE(ahead.threads_for({1e-3, 1e9}), nullptr);
}

TEST(ReadAhead, DoesNothingWithoutMemoryOrBeforeItBegins) {
  Fetches fetches;
  ReadAhead none(fetches.slices(), 0), early(fetches.slices(), 1000);
  none.begin(0);
  for (ReadAhead* ahead : {&none, &early}) {
    ahead->note_opened(0);
    EXPECT_TRUE(fetches.count.empty());
    EXPECT_EQ(ahead->threads_for({1, 1e6}), nullptr);
  }
}

TEST(ReadAhead, ASecondRunBeginsAnew) {
  Fetches fetches;
  ReadAhead ahead(fetches.slices(), 1000);
  for (int run = 0; run < 2; ++run) {
    ahead.begin(0);
    for (std::size_t slice = 0; slice < fetches.num_slices; ++slice) ahead.note_opened(slice);
  }
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 2) << slice;
}

// Groups of slices that follow each other are one reading.
TEST(ReadAhead, GoesOnWhereItWas) {
  Fetches fetches;
  ReadAhead ahead(fetches.slices(), 1000);
  for (std::size_t first = 0; first < fetches.num_slices; first += 10) {
    ahead.begin(first);
    for (std::size_t slice = first; slice < first + 10; ++slice) ahead.note_opened(slice);
  }
  EXPECT_EQ(fetches.count.size(), fetches.num_slices);
  for (const auto& [slice, count] : fetches.count) EXPECT_EQ(count, 1) << slice;
}

TEST(LoadedStreams, ThoseOfMostSlicesAreLikely) {
  LoadedStreams streams;
  std::vector<bool> is_likely(4);
  streams.add_likely(is_likely);
  EXPECT_EQ(is_likely, (std::vector<bool>{false, false, false, false}));
  streams.note({true, false, true});
  streams.note({true, false, false});
  streams.note({true, true, true});
  is_likely[3] = true;
  streams.add_likely(is_likely);
  EXPECT_EQ(is_likely, (std::vector<bool>{true, false, true, true}));
}

}  // namespace
}  // namespace skimline::io
