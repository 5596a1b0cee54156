// SPDX-License-Identifier: BSD-3-Clause
// What is near in two lists, against loops over all pairs; what these functions refuse.
#include "random_events.h"

#include <algorithm>

namespace skimline {
namespace {

using testing::Event;
using testing::fault_of;
using testing::MemorySource;
using testing::Row;
using testing::values_of;

class MatchingTest : public ::testing::Test {
 protected:
  MatchingTest() : events_(testing::random_events(1000)), source_(300) { add_events(source_, events_); }

  std::string refusal_of(const std::string& expression) {
    try {
      PlanBuilder(source_.schema()).define("result", expression);
    } catch (const ExpressionError& error) {
      return error.problem();
    }
    return "";
  }

  std::vector<Event> events_;
  MemorySource source_;
};

// With directions along one line, the distance is the difference: of z and k, all at the same azimuth.
TEST_F(MatchingTest, FindsTheNearestOfEachList) {
  const auto distances = values_of(source_, "MinDeltaR(z, double(k), z * 0, double(k) * 0)");
  const auto indexes = values_of(source_, "Nearest(z, double(k), z * 0, double(k) * 0)");
  const auto near = values_of(source_, "Nearest(z, double(k), z * 0, double(k) * 0, n * 10)");
  ASSERT_EQ(distances.size(), events_.size());
  for (std::size_t entry = 0; entry < events_.size(); ++entry) {
    const Event& event = events_[entry];
    ASSERT_EQ(distances[entry].size(), event.z.size());
    for (std::size_t i = 0; i < event.z.size(); ++i) {
      double least = std::numeric_limits<double>::infinity(), index = -1;
      for (std::size_t j = 0; j < event.k.size(); ++j) {
        const double distance = std::sqrt((event.z[i] - event.k[j]) * (event.z[i] - event.k[j]));
        if (distance < least) index = static_cast<double>(j);
        least = std::min(least, distance);
      }
      EXPECT_EQ(distances[entry][i], least);
      EXPECT_EQ(indexes[entry][i], index);
      EXPECT_EQ(near[entry][i], least <= event.n * 10. ? index : -1);
    }
  }
}

TEST_F(MatchingTest, AnyNearestOfSeveralIsTheFirst) {
  EXPECT_EQ(values_of(source_, "Nearest(Range(3) * 0., Range(4) * 0., Range(3) * 0., Range(4) * 0.)")[0],
            (Row{0, 0, 0}));
  EXPECT_EQ(values_of(source_, "Match(Range(3) * 0., Range(2) * 0., Range(3) * 0., Range(2) * 0.)")[0],
            (Row{0, 1, -1}));
}

// The pair 1-0 is nearer than 0-0, which leaves 0 the other one although it is farther.
TEST_F(MatchingTest, PairsOneToOneFromTheNearest) {
  const std::string from = "(Range(2) * -0.3 + 1), Range(3) * 2.", flat = "Range(2) * 0., Range(3) * 0.";
  EXPECT_EQ(values_of(source_, "Match(" + from + ", " + flat + ")")[0], (Row{1, 0}));
  EXPECT_EQ(values_of(source_, "Nearest(" + from + ", " + flat + ")")[0], (Row{0, 0}));
  EXPECT_EQ(values_of(source_, "Match(" + from + ", " + flat + ", 0.8)")[0], (Row{-1, 0}));
}

TEST_F(MatchingTest, TakesWhatIsJustAsFarAsAllowed) {
  const std::string apart = "Range(1) * 0. + 1, Range(1) * 0., Range(1) * 0., Range(1) * 0.";
  EXPECT_EQ(values_of(source_, "Match(" + apart + ", 1)")[0], (Row{0}));
  EXPECT_EQ(values_of(source_, "Match(" + apart + ", 0.999)")[0], (Row{-1}));
}

TEST_F(MatchingTest, ShapesOfMomentaThatAreEqualInAllDirections) {
  const std::string momenta =
      "(P4PxPyPzE(1. * (Range(3) == 0), 1. * (Range(3) == 1), 1. * (Range(3) == 2), 2))";
  EXPECT_EQ(values_of(source_, "Sphericity" + momenta)[0], (Row{1}));
  EXPECT_EQ(values_of(source_, "Aplanarity" + momenta)[0], (Row{0.5}));
}

TEST_F(MatchingTest, NoDistanceIsNearWhereItIsNaN) {
  EXPECT_EQ(values_of(source_, "Nearest(Range(2) / 0. * 0, Range(1) * 1., Range(2) * 1., Range(1) * 1.)")[0],
            (Row{-1, -1}));
  EXPECT_EQ(values_of(source_, "Match(Range(2) * 1., Range(1) * 1., Range(2) * 1., Range(1) * 1., NAN)")[0],
            (Row{-1, -1}));
}

TEST_F(MatchingTest, RefusesDirectionsOfDifferentSizes) {
  EXPECT_NE(fault_of(source_, "Nearest(z, y, z, k)").find("lists of different sizes, "), std::string::npos);
  EXPECT_NE(fault_of(source_, "MinDeltaR(k, z, x, z)").find("lists of different sizes, "), std::string::npos);
  EXPECT_NE(fault_of(source_, "BestPair(P4(x, 0, 0, 0), k, 90)").find("lists of different sizes, "),
            std::string::npos);
}

TEST_F(MatchingTest, RefusesWhatAreNoDirections) {
  EXPECT_NE(refusal_of("Nearest(z, z)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("Nearest(z, z, n, z)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("MinDeltaR(z, z, z, z, 0.4)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("Match(z, z, z, z, z)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("BestPair(P4(z, 0, 0, 0), z, 90)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("BestPair(z, k, 90)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("Sphericity(z)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("HT(n)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("MT2(P4(n, 0, 0, 0), n, 0, 0, 0, 0)").find("does not take"), std::string::npos);
  EXPECT_NE(refusal_of("Boost(P4(n, 0, 0, 0), 0.1)").find("does not take"), std::string::npos);
}

TEST_F(MatchingTest, WorksOnEachInnerList) {
  const auto inner = values_of(source_, "HT(nested)");
  for (std::size_t entry = 0; entry < events_.size(); ++entry)
    for (std::size_t i = 0; i < events_[entry].nested.size(); ++i) {
      float sum = 0;
      for (const float value : events_[entry].nested[i]) sum += value;
      EXPECT_TRUE(testing::is_same(inner[entry][i], sum));
    }
}

}  // namespace
}  // namespace skimline
