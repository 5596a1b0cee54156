// SPDX-License-Identifier: BSD-3-Clause
#include "particle_decay.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>

namespace skimline::generate {
namespace {

constexpr double kZMass = 91.1876, kZWidth = 2.4952;  // PDG 2022

Vector isotropic_direction(EventRandom& random) {
  const double cosine = random.uniform(-1, 1), azimuth = random.azimuth();
  const double sine = std::sqrt(1 - cosine * cosine);
  return {sine * maths::cos(azimuth), sine * maths::sin(azimuth), cosine};
}

}  // namespace

double transverse_momentum(const Vector& momentum) {
  return std::sqrt(momentum.x * momentum.x + momentum.y * momentum.y);
}

double pseudorapidity(const Vector& momentum) {
  const double pt_squared = momentum.x * momentum.x + momentum.y * momentum.y;
  const double total = std::sqrt(pt_squared + momentum.z * momentum.z);
  return std::copysign(maths::log((total + std::abs(momentum.z)) / std::sqrt(pt_squared)), momentum.z);
}

Parent draw_z(EventRandom& random) {
  const double mass = kZMass + 0.5 * kZWidth * maths::tan(1.5549 * random.uniform(-1, 1));
  const double pt = draw_parent_pt(14, random);
  return {std::max(mass, 10.0), pt, 0.8 * random.normal()};
}

double draw_parent_pt(double scale, EventRandom& random) {
  return scale * std::sqrt(1 / std::sqrt(random.uniform()) - 1);
}

// Boosts from the rest frame to the laboratory: p = p* + P (E* / m + P.p* / (m (E + m))).
std::pair<Vector, Vector> decay_to_pair(const Parent& parent, double product_mass, EventRandom& random) {
  const double azimuth = random.azimuth();
  const double transverse_mass = std::sqrt(parent.mass * parent.mass + parent.pt * parent.pt);
  const double stretch = maths::exp(parent.rapidity);
  const Vector momentum{parent.pt * maths::cos(azimuth), parent.pt * maths::sin(azimuth),
                        transverse_mass * 0.5 * (stretch - 1 / stretch)};
  const double energy = transverse_mass * 0.5 * (stretch + 1 / stretch);

  const double decay_momentum = std::sqrt(0.25 * parent.mass * parent.mass - product_mass * product_mass);
  const Vector direction = isotropic_direction(random);
  const Vector at_rest{decay_momentum * direction.x, decay_momentum * direction.y,
                       decay_momentum * direction.z};
  const double product = momentum.x * at_rest.x + momentum.y * at_rest.y + momentum.z * at_rest.z;
  const double factor = 0.5 + product / (parent.mass * (energy + parent.mass));
  const Vector first{at_rest.x + factor * momentum.x, at_rest.y + factor * momentum.y,
                     at_rest.z + factor * momentum.z};
  return {first, {momentum.x - first.x, momentum.y - first.y, momentum.z - first.z}};
}

// As above, with E* of the first product in place of half the mass.
std::pair<Vector, Vector> decay_in_flight(const MovingParent& parent, double first_mass, double second_mass,
                                          EventRandom& random) {
  const auto& [momentum, mass] = parent;
  const double energy =
      std::sqrt(mass * mass + momentum.x * momentum.x + momentum.y * momentum.y + momentum.z * momentum.z);
  const double first_energy =
      (mass * mass + first_mass * first_mass - second_mass * second_mass) / (2 * mass);
  const double decay_momentum =
      std::sqrt(std::max(first_energy * first_energy - first_mass * first_mass, 0.));
  const Vector direction = isotropic_direction(random);
  const Vector at_rest{decay_momentum * direction.x, decay_momentum * direction.y,
                       decay_momentum * direction.z};
  const double product = momentum.x * at_rest.x + momentum.y * at_rest.y + momentum.z * at_rest.z;
  const double factor = first_energy / mass + product / (mass * (energy + mass));
  const Vector first{at_rest.x + factor * momentum.x, at_rest.y + factor * momentum.y,
                     at_rest.z + factor * momentum.z};
  return {first, {momentum.x - first.x, momentum.y - first.y, momentum.z - first.z}};
}

}  // namespace skimline::generate
