// SPDX-License-Identifier: BSD-3-Clause
// Pairs of particles whose seen sides have no mass and go one way, of which the smallest mass has a formula.
#include "expression/stransverse_mass.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace skimline {
namespace {

struct Pair {
  double first, second;  // transverse momenta, both along one direction
  double along, across;  // it, the missing one
  double invisible, other_invisible;
};

// The regions of momenta are parabolas with one axis. Both have a point in common if `room` is not negative:
// the least of the sum of both parabolas is not beyond what is missing along the axis.
double mass_by_formula(const Pair& of) {
  const auto room = [&](double mass) {
    const double a = (mass * mass - of.invisible * of.invisible) / (2 * of.first);
    const double b = (mass * mass - of.other_invisible * of.other_invisible) / (2 * of.second);
    return of.along + (a + b) / 2 - of.across * of.across / (2 * (a + b)) -
           of.invisible * of.invisible / (2 * a) - of.other_invisible * of.other_invisible / (2 * b);
  };
  double low = std::max(of.invisible, of.other_invisible), high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (room(middle) < 0 ? low : high) = middle;
  }
  return high;
}

// The first side turned by an angle.
double mass_of(const Pair& of, double angle, double mass = 0) {
  return stransverse_mass({mass, of.first * std::cos(angle), of.first * std::sin(angle), of.invisible},
                          {mass, of.second, 0, of.other_invisible}, of.along, of.across);
}

Pair random_pair(std::mt19937& random) {
  std::uniform_real_distribution<double> momentum(5, 100), angle(-3, 3);
  const double missing = momentum(random), direction = angle(random);
  const double invisible = random() % 2 == 0 ? 0 : momentum(random);
  return {momentum(random),
          momentum(random),
          missing * std::cos(direction),
          missing * std::sin(direction),
          invisible,
          random() % 2 == 0 ? invisible : momentum(random)};
}

TEST(StransverseMass, OfSidesThatGoOneWay) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const Pair pair = random_pair(random);
    const double expected = mass_by_formula(pair);
    EXPECT_NEAR(mass_of(pair, 0), expected, 1e-7 * expected);
    EXPECT_NEAR(mass_of(pair, 0, 1e-6), expected, 1e-6 * expected);
  }
  EXPECT_NEAR(mass_of({50, 25, -30, 40, 0, 0}, 0), std::sqrt(2 * 80 / (1 / 50. + 1 / 25.)), 1e-9);
  EXPECT_NEAR(mass_of({50, 25, 30, 0, 0, 0}, 0), 0, 1e-6);
}

// What changes little has little effect, whichever way the mass is found.
TEST(StransverseMass, OfSidesThatNearlyGoOneWay) {
  std::mt19937 random(4);
  for (int i = 0; i < 50; ++i) {
    const Pair pair = random_pair(random);
    const double expected = mass_by_formula(pair);
    for (double angle = 1e-12; angle < 0.005; angle *= 7)
      for (const double sign : {-1., 1.})
        EXPECT_NEAR(mass_of(pair, sign * angle), expected, (30 * angle + 1e-7) * expected)
            << i << " " << angle;
  }
}

// By the definition, with more digits: the least over all momenta of the unseen of the larger mass.
using Precise = long double;

Precise squared_mass(const SemiInvisible& side, Precise x, Precise y) {
  const Precise px = side.px, py = side.py, mass = side.mass, invisible = side.invisible;
  return mass * mass + invisible * invisible +
         2 * (std::sqrt(mass * mass + px * px + py * py) * std::sqrt(invisible * invisible + x * x + y * y) -
              px * x - py * y);
}

template <typename Function>
Precise least_of(Function function) {
  const Precise part = (std::sqrt(Precise{5}) - 1) / 2;
  Precise low = -25, high = 25;
  for (int i = 0; i < 85; ++i) {
    const Precise left = high - part * (high - low), right = low + part * (high - low);
    if (function(std::sinh(left)) < function(std::sinh(right)))
      high = right;
    else
      low = left;
  }
  return function(std::sinh((low + high) / 2));
}

double mass_by_definition(const SemiInvisible& a, const SemiInvisible& b, double x, double y) {
  const auto of_x = [&](Precise px) {
    return least_of(
        [&](Precise py) { return std::max(squared_mass(a, px, py), squared_mass(b, x - px, y - py)); });
  };
  return static_cast<double>(std::sqrt(std::max(least_of(of_x), Precise{0})));
}

// Light sides, sides that are nearly at rest, and small momenta beside large ones.
TEST(StransverseMass, OfSidesOfVeryDifferentSize) {
  const struct {
    SemiInvisible a, b;
    double x, y;
  } pairs[] = {{{1.4694931395058544e-12, 0, 0, 2.8226718903370425},
                {0, 49.999999999999524, 6.9110481724364551e-06, 89.227386725729701},
                46.480536369796532,
                -18.427146788801075},
               {{1.4150555336127558e-05, 0.033633635599166663, -0.11040405432666417, 0},
                {1.4305851552642864e-05, 520.52899718996991, -1708.6618993335751, 0.49120213451803463},
                60.066131280497785,
                75.478653264253182},
               {{1e-4, 57, -36, 46}, {5e-8, 32, -20.2, 74}, 74, 85},
               {{0, 50, 0, 50}, {8e-4, 50, 4.6e-12, 17.8}, 0, 0},
               {{1e-3, 72, 0, 55}, {4.5e-6, 78, 0, 87}, 1e-7, 0}};
  for (const auto& [a, b, x, y] : pairs) {
    const double expected = mass_by_definition(a, b, x, y);
    EXPECT_NEAR(stransverse_mass(a, b, x, y), expected, 1e-9 * expected);
    EXPECT_NEAR(stransverse_mass(b, a, x, y), expected, 1e-9 * expected);
  }
}

// What is missing all but makes both masses vanish.
TEST(StransverseMass, NearZero) {
  const struct {
    SemiInvisible a, b;
    double x, y;
  } pairs[] = {{{0.00023773851429932568, 50, 0, 0},
                {0.00023773851429909017, -7.3685218551879608, 49.45406844405845, 0},
                50.000052827487742,
                0},
               {{0.00052059893551754206, 49.575060737935267, -22.172004909976984, 5.0505197403393491e-11},
                {0, 35.351066860093169, -41.226041778846977, 5.6365123507838979e-05},
                99.150121405217831,
                -44.344009788355173},
               {{0, -3813.6341929169757, 916.70898091862375, 3.7836799824771259e-06},
                {0, 1961.4734060232568, 3396.5840474296924, 3.7836799824771255e-06},
                -48.616095758817131,
                11.682261474968078}};
  for (const auto& [a, b, x, y] : pairs) {
    const double expected = mass_by_definition(a, b, x, y);
    EXPECT_NEAR(stransverse_mass(a, b, x, y), expected, 1e-5 * expected);
  }
}

// Turned and exchanged sides have the same mass.
TEST(StransverseMass, DoesNotDependOnTheFrame) {
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    const Pair of = random_pair(random);
    const double c = std::cos(i), s = std::sin(i);
    const double turned = stransverse_mass({0, of.second * c, of.second * s, of.other_invisible},
                                           {0, of.first * c, of.first * s, of.invisible},
                                           of.along * c - of.across * s, of.along * s + of.across * c);
    EXPECT_NEAR(turned, mass_of(of, 0), 1e-9 * turned);
  }
}

}  // namespace
}  // namespace skimline
