// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/storage.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/histogram.h"

#include <set>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

TEST(Storages, AreFoundByTheirNumbers) {
  std::set<std::string_view> names, descriptions;
  for (std::size_t i = 0; i < storages().size(); ++i) {
    EXPECT_EQ(&traits_of(static_cast<Storage>(i)), &storages()[i]);
    names.insert(storages()[i].name);
    descriptions.insert(storages()[i].description);
  }
  EXPECT_EQ(names.size(), storages().size());
  EXPECT_EQ(descriptions.size(), storages().size());
  EXPECT_THROW(traits_of(static_cast<Storage>(storages().size())), InternalError);
}

TEST(Storages, HaveTheSumsThatTheyNeed) {
  for (const StorageTraits& each : storages()) {
    const Histogram histogram = empty_histogram("h", "", {Axis::regular(2, 0, 1)}, each.storage);
    for (std::size_t sum = 0; sum < kMaxCellSums; ++sum)
      EXPECT_EQ(histogram.sums[sum].size(), sum < each.num_sums ? 4u : 0u) << each.name;
    EXPECT_EQ(histogram.exact_cells.size(), each.has_weights ? each.num_sums : 0) << each.name;
    EXPECT_EQ(histogram.variances().size(), 4u) << each.name;
    EXPECT_EQ(each.num_sums > kWeightedValue, each.has_values) << each.name;
    EXPECT_EQ(each.num_sums > kWeightSquared, each.has_weights) << each.name;
  }
}

TEST(Storages, AreNamedWhereTheyDiffer) {
  const auto empty = [](Storage storage) {
    return empty_histogram("h", "", {Axis::regular(2, 0, 1)}, storage);
  };
  EXPECT_EQ(difference_of_bins(empty(Storage::kCount), empty(Storage::kProfile)),
            "one counts, the other is a profile");
  EXPECT_EQ(difference_of_bins(empty(Storage::kWeighted), empty(Storage::kWeighted)), "");
}

}  // namespace
}  // namespace skimline::histograms
