// SPDX-License-Identifier: BSD-3-Clause
// Histograms whose fixed categories differ, as cutflows of several configurations, added up.
#include "skimline/framework/error.h"
#include "skimline/histograms/histogram.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

using namespace skimline;
using namespace skimline::histograms;

namespace {

using Names = std::vector<std::string>;

// A count of as many as the names say, from the first cell on, flow cells included.
Histogram counts(const Names& names, const std::vector<double>& cells) {
  Histogram histogram = empty_histogram("h", "", {Axis::categories(names)}, Storage::kCount);
  histogram.sums[kWeight] = cells;
  round_exact_sums(histogram);
  return histogram;
}

}  // namespace

TEST(AxisUnion, FixedTextsKeepTheirOrder) {
  Histogram sum = counts({"all", "trigger"}, {0, 10, 4, 0});
  add(sum, counts({"all", "lepton", "trigger"}, {0, 20, 5, 7, 0}));
  EXPECT_EQ(sum.axes[0].names(), (Names{"all", "trigger", "lepton"}));
  EXPECT_EQ(sum.contents(), (std::vector<double>{0, 30, 11, 5, 0}));
  EXPECT_TRUE(sum.has_exact_sums);
  EXPECT_EQ(sum.statistics.weight, 46);
}

// What was filled beside the cells is counted whichever of the two gets other axes.
TEST(AxisUnion, AllCountsOfFillsAreAdded) {
  const auto filled = [](const Names& names, std::uint64_t number) {
    Histogram histogram = empty_histogram("h", "", {Axis::categories(names, true)}, Storage::kWeighted);
    histogram.entries = 100 * number;
    histogram.num_nan = 10 * number;
    histogram.num_bad_weights = number;
    return histogram;
  };
  const std::vector<Names> several{{"b"}, {"b"}, {"a"}, {"a", "b"}};
  for (const Names& one : several)
    for (const Names& other : several) {
      Histogram sum = filled(one, 2);
      add(sum, filled(other, 3));
      EXPECT_EQ(sum.entries, 500u);
      EXPECT_EQ(sum.num_nan, 50u);
      EXPECT_EQ(sum.num_bad_weights, 5u);
    }
}

TEST(AxisUnion, ValuesInNoneOfTheTextsAreRefused) {
  Histogram sum = counts({"ee"}, {0, 1, 0});
  const Histogram other = counts({"mm"}, {0, 1, 3});
  EXPECT_EQ(difference_of_bins(sum, other), "axis 0: other categories, and values that are none of them");
  EXPECT_THROW(add(sum, other), Error);
  EXPECT_EQ(difference_of_bins(sum, counts({"ee"}, {0, 1, 3})), "");
}

TEST(AxisUnion, FixedNumbersStayDifferent) {
  const auto of = [](std::int64_t number) {
    return empty_histogram("h", "", {Axis::categories(std::vector<std::int64_t>{number})}, Storage::kCount);
  };
  EXPECT_EQ(difference_of_bins(of(1), of(2)), "axis 0: other categories");
}

TEST(AxisUnion, SaysWhatDiffers) {
  const auto of = [](Axis axis) { return empty_histogram("h", "", {std::move(axis)}, Storage::kCount); };
  const Histogram regular = of(Axis::regular(2, 0, 1));
  EXPECT_EQ(difference_of_bins(regular, of(Axis::regular(2, 0, 2))),
            "axis 0: [0, 1) in one, [0, 2) in the other");
  EXPECT_EQ(difference_of_bins(regular, of(Axis::regular(2, -1, 1))),
            "axis 0: [0, 1) in one, [-1, 1) in the other");
  EXPECT_EQ(difference_of_bins(regular, of(Axis::regular(2, 0, 1, {.underflow = false}))),
            "axis 0: other cells around the bins");
  EXPECT_EQ(difference_of_bins(regular, regular), "");
}

// As files of ROOT have them. What is added to them has no exact sums either.
TEST(AxisUnion, RoundedSumsAreAddedOneByOne) {
  const auto filled = [](const Names& names, double value, bool is_exact) {
    Histogram histogram =
        empty_histogram("h", "", {Axis::categories(names, true), Axis::integer(0, 0)}, Storage::kProfile);
    histogram.value_title = "mean";
    histogram.has_exact_sums = is_exact;
    if (!is_exact) histogram.exact_cells.clear();
    for (std::vector<double>& sums : histogram.sums) sums.assign(histogram.num_cells(), value);
    histogram.statistics = {value, value, {value, value}, {value, value}, {value}, value, value};
    return histogram;
  };
  for (const Names& other : {Names{"a"}, Names{"b"}})
    for (const bool is_exact : {false, true}) {
      Histogram sum = filled({"a"}, 1, is_exact);
      add(sum, filled(other, 2, false));
      EXPECT_FALSE(sum.has_exact_sums);
      EXPECT_TRUE(sum.exact_cells.empty());
      EXPECT_EQ(sum.value_title, "mean");
      for (const std::vector<double>& sums : sum.sums) EXPECT_EQ(sums[0], 3);
      const Statistics& total = sum.statistics;
      EXPECT_EQ((std::vector{total.weight, total.weight_squared, total.weighted_value,
                             total.weighted_value_squared}),
                std::vector<double>(4, 3));
      EXPECT_EQ(total.position, std::vector<double>(2, 3));
      EXPECT_EQ(total.position_squared, std::vector<double>(2, 3));
      EXPECT_EQ(total.position_product, std::vector<double>(1, 3));
    }
}
