// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/axis_kinds.h"

#include "skimline/framework/error.h"

#include <set>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

// What a file keeps of an axis with three bins, whatever its kind.
AxisDefinition three_bins() {
  AxisDefinition bins;
  bins.num_bins = 3;
  bins.low = -1;
  bins.high = 2;
  bins.edges = {-1, 0.5, 1, 2};
  bins.names = {"a", "b", "c"};
  bins.numbers = {7, -7, 0};
  return bins;
}

TEST(AxisKinds, AreFoundByTheirNumbers) {
  for (std::size_t i = 0; i < axis_kinds().size(); ++i)
    EXPECT_EQ(&traits_of(static_cast<AxisKind>(i)), &axis_kinds()[i]);
  EXPECT_THROW(traits_of(static_cast<AxisKind>(axis_kinds().size())), InternalError);
}

TEST(AxisKinds, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names, descriptions;
  std::set<std::pair<BinsBy, std::string_view>> told;
  for (const AxisKindTraits& kind : axis_kinds()) {
    names.insert(kind.name);
    descriptions.insert(kind.description);
    told.insert({kind.bins_by, kind.note});
  }
  EXPECT_EQ(names.size(), axis_kinds().size());
  EXPECT_EQ(descriptions.size(), axis_kinds().size());
  EXPECT_EQ(told.size(), axis_kinds().size());
}

TEST(AxisKinds, MakeAxesThatHaveWhatTheyGoBy) {
  for (const AxisKindTraits& kind : axis_kinds()) {
    const AxisDefinition bins = three_bins();
    const Axis axis = kind.make(bins);
    EXPECT_EQ(axis.kind(), kind.kind) << kind.name;
    EXPECT_EQ(axis.values(), kind.values) << kind.name;
    EXPECT_EQ(axis.num_bins(), 3) << kind.name;
    EXPECT_EQ(axis.edges(), kind.bins_by == BinsBy::kEdges ? bins.edges : std::vector<double>()) << kind.name;
    EXPECT_EQ(axis.names(), kind.bins_by == BinsBy::kNames ? bins.names : std::vector<std::string>());
    EXPECT_EQ(axis.numbers(), kind.bins_by == BinsBy::kNumbers ? bins.numbers : std::vector<std::int64_t>());
    EXPECT_EQ(axis.low(), axis.is_category() ? 0 : -1) << kind.name;
    EXPECT_EQ(axis.high(), axis.is_category() ? 3 : 2) << kind.name;
  }
}

TEST(AxisKinds, RefuseWhatIsNoAxis) {
  for (const AxisKindTraits& kind : axis_kinds())
    EXPECT_THROW(kind.make(AxisDefinition{}), ConfigError) << kind.name;
  AxisDefinition too_far = three_bins();
  too_far.high = 3;
  EXPECT_THROW(traits_of(AxisKind::kInteger).make(too_far), ConfigError);
}

TEST(AxisKinds, RefuseValuesOfOthers) {
  const std::vector<std::string_view> texts{"a"};
  const std::vector<std::int64_t> integers{7};
  std::int32_t cell = 0;
  const Axis axis = traits_of(AxisKind::kVariable).make(three_bins());
  EXPECT_THROW(axis.index(texts, &cell), InternalError);
  EXPECT_THROW(axis.index(integers, &cell), InternalError);
}

}  // namespace
}  // namespace skimline::histograms
