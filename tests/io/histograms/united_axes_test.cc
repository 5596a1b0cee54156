// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/united_axes.h"

#include <random>

#include <gtest/gtest.h>

using namespace skimline::io;

namespace {

using Cells = std::vector<std::uint32_t>;

StoredAxis axis(std::int32_t num_bins, double low, double high, bool can_extend = false) {
  StoredAxis axis;
  axis.num_bins = num_bins;
  axis.low = low;
  axis.high = high;
  axis.more_bits = can_extend ? StoredAxis::kCanExtend : 0;
  return axis;
}

StoredAxis labelled(const std::vector<std::string>& labels, std::int32_t num_bins, bool can_extend = true) {
  StoredAxis made = axis(num_bins, 0, num_bins, can_extend);
  for (std::uint32_t bin = 1; bin <= labels.size(); ++bin)
    if (!labels[bin - 1].empty()) made.labels.emplace_back(bin, labels[bin - 1]);
  return made;
}

std::string refusal(const StoredAxis& left, const StoredAxis& right) {
  try {
    unite({left}, {right});
    return {};
  } catch (const Mismatch& mismatch) {
    return mismatch.what();
  }
}

}  // namespace

TEST(UnitedAxes, LabelsKeepTheirBinsAndNewOnesFollow) {
  const UnitedAxes united = unite({labelled({"a", "b"}, 2)}, {labelled({"c", "a"}, 4)});
  EXPECT_EQ(united.axes[0].num_bins, 4);  // twice as many
  EXPECT_EQ(united.axes[0].high, 4);
  EXPECT_EQ(united.axes[0].labels[2], std::pair(3U, std::string("c")));
  EXPECT_EQ(united.left, (Cells{0, 1, 2, 5}));
  EXPECT_EQ(united.right, (Cells{0, 3, 1, kNowhere, kNowhere, 5}));
  EXPECT_TRUE(united.changes_left);
}

TEST(UnitedAxes, FixedAxesGrowAsFarAsTheyMust) {
  EXPECT_EQ(unite({labelled({"a", "b"}, 2, false)}, {labelled({"c"}, 1, false)}).axes[0].num_bins, 3);
}

TEST(UnitedAxes, BinsBetweenLabelsAreUsed) {
  const UnitedAxes united = unite({labelled({"a", "", "b"}, 3)}, {labelled({"x", "b"}, 2)});
  EXPECT_EQ(united.axes[0].num_bins, 3);
  EXPECT_EQ(united.left, (Cells{0, 1, kNowhere, 3, 4}));
  EXPECT_EQ(united.right, (Cells{0, 2, 3, 4}));
}

TEST(UnitedAxes, WithoutLabelsOnOneSideItMustBeEmpty) {
  const UnitedAxes united = unite({axis(1, 0, 1, true)}, {labelled({"a", "b"}, 2)});
  EXPECT_EQ(united.left, (Cells{0, kNowhere, 3}));
  EXPECT_EQ(united.right, (Cells{0, 1, 2, 3}));
  EXPECT_EQ(united.axes[0].labels.size(), 2U);
}

TEST(UnitedAxes, RangesOfEqualBins) {
  const UnitedAxes united = unite({axis(2, 0, 2)}, {axis(2, 3, 5)});
  EXPECT_EQ(united.axes[0].num_bins, 5);
  EXPECT_EQ(united.left, (Cells{0, 1, 2, kNowhere}));
  EXPECT_EQ(united.right, (Cells{kNowhere, 4, 5, 6}));
}

TEST(UnitedAxes, WidthsOfExtendedAxes) {
  const UnitedAxes united = unite({axis(4, 0, 4, true)}, {axis(4, 0, 8, true)});
  EXPECT_EQ(united.axes[0].num_bins, 4);
  EXPECT_EQ(united.left, (Cells{0, 1, 1, 2, 2, kNowhere}));
  EXPECT_EQ(united.right, (Cells{0, 1, 2, 3, 4, 5}));
}

TEST(UnitedAxes, WhatCannotBeUnited) {
  EXPECT_EQ(refusal(axis(10, 0, 10), axis(20, 0, 10)), "x axis: 10 bins and 20 bins");
  EXPECT_EQ(refusal(axis(10, 0, 10), axis(10, 0.5, 10.5)), "x axis: from 0 and from 0.5");
  EXPECT_EQ(refusal(axis(4, 0, 4, true), axis(4, 0, 6, true)), "x axis: to 4 and to 6");
  EXPECT_NE(refusal(axis(10, 0, 10), axis(10, 1e9, 1e9 + 10)).find("too many bins"), std::string::npos);
  EXPECT_EQ(refusal(labelled({"a", "a"}, 2), labelled({"b"}, 1)), "x axis: two bins with the label \"a\"");
  StoredAxis outside = labelled({"a"}, 1);
  outside.labels = {{7, "z"}};
  EXPECT_EQ(refusal(labelled({"a"}, 1), outside), "x axis: label \"z\" of bin 7 of 1");
  StoredAxis edges = axis(2, 0, 3);
  edges.edges = {0, 1, 3};
  EXPECT_EQ(refusal(edges, axis(3, 0, 3)), "x axis: 2 bins and 3 bins");
}

TEST(UnitedAxes, CellsOfTwoAxes) {
  const UnitedAxes united = unite({labelled({"a"}, 1), axis(1, 0, 1)}, {labelled({"b"}, 1), axis(1, 0, 1)});
  EXPECT_EQ(united.left, (Cells{0, 1, 3, 4, 5, 7, 8, 9, 11}));
  EXPECT_EQ(united.right, (Cells{0, 2, 3, 4, 6, 7, 8, 10, 11}));
}

// Whatever the order of uniting, the axes are the same.
TEST(UnitedAxes, GroupsDoNotMatter) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<StoredAxis> parts;
    for (int i = 0; i < 3; ++i) {
      std::vector<std::string> labels;
      for (char letter = 'a'; letter < 'i'; ++letter)
        if (random() % 2 == 0) labels.push_back(std::string(1, letter));
      std::shuffle(labels.begin(), labels.end(), random);
      if (labels.empty()) labels.push_back("z");
      parts.push_back(labelled(labels, static_cast<std::int32_t>(labels.size() + random() % 3)));
    }
    const auto both = [](const StoredAxis& a, const StoredAxis& b) { return unite({a}, {b}).axes[0]; };
    const StoredAxis left = both(both(parts[0], parts[1]), parts[2]);
    const StoredAxis right = both(parts[0], both(parts[1], parts[2]));
    EXPECT_EQ(difference_of(left, right), "");
  }
}
