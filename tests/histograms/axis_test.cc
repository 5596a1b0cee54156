// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/axis.h"

#include "special_numbers.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::kInfinity;
using testing::kNan;

std::vector<std::int32_t> cells_of(const Axis& axis, const std::vector<double>& values) {
  std::vector<std::int32_t> cells(values.size(), -7);
  axis.index(values, cells.data());
  return cells;
}

std::vector<std::int32_t> cells_of(const Axis& axis, const std::vector<float>& values) {
  std::vector<std::int32_t> cells(values.size(), -7);
  axis.index(values, cells.data());
  return cells;
}

// TAxis::FindFixBin of ROOT 6.40, one value at a time; test_bin_search.py compares with ROOT itself.
std::int32_t regular_cell(int bins, double low, double high, double x) {
  if (x < low) return 0;
  if (!(x < high)) return bins + 1;
  const double width = (high - low) / bins;
  const int bin = static_cast<int>(bins * (x - low) / (high - low));
  if (x < low + bin * width) return bin;
  return x >= low + (bin + 1) * width ? bin + 2 : bin + 1;
}

std::int32_t variable_cell(const std::vector<double>& edges, double x) {
  if (std::isnan(x)) return static_cast<std::int32_t>(edges.size());
  std::int32_t cell = 0;
  for (const double edge : edges) cell += edge <= x ? 1 : 0;
  return cell;
}

void append_neighbours(double edge, std::vector<double>& values) {
  values.insert(values.end(), {edge, std::nextafter(edge, kInfinity), std::nextafter(edge, -kInfinity)});
}

TEST(Axis, KnowsItsShape) {
  const Axis regular = Axis::regular(4, -1, 1);
  EXPECT_EQ(regular.kind(), AxisKind::kRegular);
  EXPECT_EQ(regular.num_bins(), 4);
  EXPECT_EQ(regular.num_cells(), 6u);
  EXPECT_EQ(regular.low(), -1);
  EXPECT_EQ(regular.high(), 1);
  const Axis variable = Axis::variable({0, 1, 10});
  EXPECT_EQ(variable.kind(), AxisKind::kVariable);
  EXPECT_EQ(variable.num_bins(), 2);
  EXPECT_EQ(variable.edges(), (std::vector<double>{0, 1, 10}));
  EXPECT_EQ(variable.high(), 10);
}

TEST(Axis, ClosesBinsAtTheirLowerEdge) {
  const std::vector<double> values{-kInfinity, -0.1, -0.0, 0, 0.5, 1, 1.5, 2, 3, kInfinity, kNan, -kNan};
  const std::vector<std::int32_t> expected{0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3};
  EXPECT_EQ(cells_of(Axis::regular(2, 0, 2), values), expected);
  EXPECT_EQ(cells_of(Axis::variable({0, 1, 2}), values), expected);
}

TEST(Axis, TakesNoValues) { EXPECT_TRUE(cells_of(Axis::regular(2, 0, 2), std::vector<double>{}).empty()); }

TEST(Axis, FindsRegularBinsAsRootAroundEveryEdge) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> gauss;
  for (int round = 0; round < 2000; ++round) {
    const int bins = 1 + static_cast<int>(random() % 400);
    const double low = gauss(random) * std::pow(10, static_cast<int>(random() % 11) - 5);
    const double high =
        low + (0.1 + std::fabs(gauss(random))) * std::pow(10, static_cast<int>(random() % 11) - 5);
    std::vector<double> values;
    for (int i = 0; i <= bins; ++i) {
      append_neighbours(low + i * ((high - low) / bins), values);
      append_neighbours(low + i * (high - low) / bins, values);
    }
    const std::vector<std::int32_t> cells = cells_of(Axis::regular(bins, low, high), values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(cells[i], regular_cell(bins, low, high, values[i]))
          << bins << ' ' << low << ' ' << high << ' ' << values[i];
  }
}

// Values at all distances from the edges that a first guess may be off by, and between them.
std::vector<double> values_on(const Axis& axis, std::mt19937_64& random, std::size_t size) {
  std::uniform_real_distribution<double> uniform;
  const double width = (axis.high() - axis.low()) / axis.num_bins();
  std::vector<double> values{kNan, -kNan, kInfinity, -kInfinity, 0.0, -0.0, 1.7e308, -1.7e308, 3.4e38};
  while (values.size() < size) {
    const double edge = axis.low() + std::floor(uniform(random) * (axis.num_bins() + 3) - 1) * width;
    const double off =
        random() % 4 == 0 ? uniform(random) : std::ldexp(uniform(random), -static_cast<int>(random() % 60));
    values.push_back(edge + (random() % 2 == 0 ? off : -off) * width);
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

Axis random_regular_axis(std::mt19937_64& random) {
  std::normal_distribution<double> gauss;
  constexpr int kMostBins[] = {3, 100, 5000, 2'000'000};
  const int bins = 1 + static_cast<int>(random() % static_cast<unsigned>(kMostBins[random() % 4]));
  const int exponent = static_cast<int>(random() % 40) - 20;
  const double low = gauss(random) * std::pow(10, exponent);
  const double range =
      (0.1 + std::fabs(gauss(random))) * std::pow(10, exponent + static_cast<int>(random() % 5) - 2);
  return random() % 3 == 0 ? Axis::regular(bins, std::round(low), std::round(low) + std::ceil(range))
                           : Axis::regular(bins, low, low + range);
}

TEST(Axis, FindsRegularBinsAsRootAtAnyDistanceFromEdges) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 3000; ++round) {
    const Axis axis = random_regular_axis(random);
    const std::vector<double> values = values_on(axis, random, 200 + random() % 300);
    const std::vector<float> floats(values.begin(), values.end());
    const std::vector<std::int32_t> cells = cells_of(axis, values), float_cells = cells_of(axis, floats);
    const auto expected = [&](double x) { return regular_cell(axis.num_bins(), axis.low(), axis.high(), x); };
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(cells[i], expected(values[i]))
          << axis.num_bins() << ' ' << axis.low() << ' ' << axis.high() << ' ' << values[i];
      ASSERT_EQ(float_cells[i], expected(floats[i]))
          << axis.num_bins() << ' ' << axis.low() << ' ' << axis.high() << ' ' << floats[i];
    }
  }
}

// Axes for which arithmetic of floats is no guide: the edges are not floats, or there are too many.
TEST(Axis, FindsFloatsOnAxesThatFloatsCannotResolve) {
  constexpr double kLargestFloat = std::numeric_limits<float>::max();
  const std::vector<Axis> axes{Axis::regular(50'000'000, 0, 1),
                               Axis::regular(10, 1e10, 1e10 + 1),
                               Axis::regular(7, 0, 1e-44),
                               Axis::regular(7, -1e300, 1e300),
                               Axis::regular(3, -kLargestFloat, kLargestFloat),
                               Axis::regular(100, 16777216, 16777226),
                               Axis::regular(4, -1e-320, 1e-320)};
  for (const Axis& axis : axes) {
    std::vector<float> values{-0.0F, 0, 1e-45F, -1e-45F, 1e-38F, 1e38F, 1e10F};
    for (int i = 0; i <= std::min(axis.num_bins(), 200); ++i) {
      const auto edge = static_cast<float>(axis.low() + i * ((axis.high() - axis.low()) / axis.num_bins()));
      const auto infinity = std::numeric_limits<float>::infinity();
      values.insert(values.end(), {edge, std::nextafter(edge, infinity), std::nextafter(edge, -infinity)});
    }
    const std::vector<std::int32_t> cells = cells_of(axis, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(cells[i], regular_cell(axis.num_bins(), axis.low(), axis.high(), values[i]))
          << axis.num_bins() << ' ' << axis.low() << ' ' << axis.high() << ' ' << values[i];
  }
}

TEST(Axis, FindsFloatsAsTheSameDoublesOnEveryKindOfAxis) {
  std::mt19937_64 random(5);
  const std::vector<Axis> axes{Axis::variable({-3, -0.3, 0.1, 2}), Axis::integer(-4, 3),
                               Axis::regular(9, -3, 2, {.circular = true}), Axis::regular(9, -3, 2)};
  for (const Axis& axis : axes) {
    const std::vector<double> values = values_on(axis, random, 2000);
    const std::vector<float> floats(values.begin(), values.end());
    const std::vector<double> same(floats.begin(), floats.end());
    EXPECT_EQ(cells_of(axis, floats), cells_of(axis, same));
  }
}

// Rounding may put what lies beside a limit on either side of it, but never outside of the circle.
TEST(Axis, CirclesHoldEveryNumber) {
  std::mt19937_64 random(6);
  for (const double high : {1.0, 10.0, 2 * std::acos(-1.0), 0.1}) {
    const Axis axis = Axis::regular(8, 0, high, {.circular = true});
    std::vector<double> values{5e-324, -5e-324, 1e-310, -1e-310, 1e-30, -1e-30, 1e300, -1e300};
    for (int i = 0; i < 10'000; ++i) {
      const double turns = std::floor(std::ldexp(static_cast<double>(random()), -20 - i % 44));
      for (const double limit : {turns * high, -turns * high})
        values.insert(values.end(),
                      {limit, std::nextafter(limit, kInfinity), std::nextafter(limit, -kInfinity)});
    }
    const std::vector<std::int32_t> cells = cells_of(axis, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_GE(cells[i], 1) << values[i] << ' ' << high;
      ASSERT_LE(cells[i], 8) << values[i] << ' ' << high;
    }
  }
}

// Bins so narrow that several share an edge, or that have no normal width.
TEST(Axis, FindsBinsNarrowerThanTheSpacingOfDoublesAsRoot) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 4000; ++round) {
    const int bins = 1 + static_cast<int>(random() % 400);
    const double low = round % 2 == 0 ? 0.0 : std::ldexp(static_cast<double>(random()), -40);
    std::vector<double> values{low};
    const std::size_t num_values = 2 + random() % 100;
    while (values.size() < num_values) values.push_back(std::nextafter(values.back(), kInfinity));
    const double high = values.back();
    const std::vector<std::int32_t> cells = cells_of(Axis::regular(bins, low, high), values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(cells[i], regular_cell(bins, low, high, values[i])) << bins << ' ' << low << ' ' << values[i];
  }
}

TEST(Axis, FindsVariableBinsByCountingEdges) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> gauss;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> edges(2 + random() % 60);
    for (double& edge : edges) edge = gauss(random) * std::pow(10, static_cast<int>(random() % 40) - 20);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    if (edges.size() < 2) continue;
    std::vector<double> values{kNan, kInfinity, -kInfinity};
    for (const double edge : edges) append_neighbours(edge, values);
    for (int i = 0; i < 100; ++i) values.push_back(gauss(random) * edges.back());
    const std::vector<std::int32_t> cells = cells_of(Axis::variable(edges), values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(cells[i], variable_cell(edges, values[i])) << values[i];
  }
}

TEST(Axis, FindsBinsOfEveryVariableAxisThatDoublesAllow) {
  std::vector<double> crowded{0};
  for (int i = 0; i < 1000; ++i) crowded.push_back(1 + i * 1e-15);
  crowded.erase(std::unique(crowded.begin(), crowded.end()), crowded.end());
  crowded.push_back(1e6);
  const std::vector<std::vector<double>> axes{{-1.7e308, 0, 1.7e308}, {0, 5e-324, 1e-323}, {1, 2}, crowded};
  for (const std::vector<double>& edges : axes) {
    std::vector<double> values{0, -0.0, 5e-324, 1e308};
    for (const double edge : edges) append_neighbours(edge, values);
    const std::vector<std::int32_t> cells = cells_of(Axis::variable(edges), values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(cells[i], variable_cell(edges, values[i])) << values[i];
  }
}

TEST(Axis, TitleHasLabelAndUnit) {
  Axis axis = Axis::regular(1, 0, 1);
  EXPECT_EQ(axis.title(), "");
  axis.unit = "GeV";
  EXPECT_EQ(axis.title(), "[GeV]");
  axis.label = "m";
  EXPECT_EQ(axis.title(), "m [GeV]");
  axis.unit = "";
  EXPECT_EQ(axis.title(), "m");
}

TEST(Axis, RefusesWhatIsNoAxis) {
  const double largest = std::numeric_limits<double>::max();
  const std::vector<std::pair<std::function<Axis()>, std::string>> bad{
      {[] { return Axis::regular(0, 0, 1); }, "not 0"},
      {[] { return Axis::regular(-5, 0, 1); }, "not -5"},
      {[] { return Axis::regular(100'000'001, 0, 1); }, "not 100000001"},
      {[] { return Axis::regular(5, 1, 1); }, "increasing"},
      {[] { return Axis::regular(5, 2, 1); }, "increasing"},
      {[] { return Axis::regular(5, kNan, 1); }, "finite"},
      {[] { return Axis::regular(5, 0, kNan); }, "finite"},
      {[] { return Axis::regular(5, -kInfinity, 1); }, "finite"},
      {[] { return Axis::regular(5, 0, kInfinity); }, "finite"},
      {[=] { return Axis::regular(5, -largest, largest); }, "finite"},
      {[] { return Axis::variable({}); }, "two edges"},
      {[] { return Axis::variable({1}); }, "two edges"},
      {[] {
         return Axis::variable({1, 1});
       },
       "edge 1"},
      {[] {
         return Axis::variable({0, 1, 0.5});
       },
       "edge 2"},
      {[] {
         return Axis::variable({0, kNan, 2});
       },
       "edge 1"},
      {[] {
         return Axis::variable({0, 1, kInfinity});
       },
       "edge 2"},
  };
  for (const auto& [make, words] : bad) {
    try {
      make();
      ADD_FAILURE() << "no error with: " << words;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace skimline::histograms
