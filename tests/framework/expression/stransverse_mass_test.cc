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
