// SPDX-License-Identifier: BSD-3-Clause
// Decays of particles into two, with the kinematics of special relativity; GeV.
#pragma once

#include "event_random.h"

#include <utility>

namespace skimline::generate {

struct Vector {
  double x = 0, y = 0, z = 0;
};
double transverse_momentum(const Vector& momentum);
double pseudorapidity(const Vector& momentum);

/// A particle before its decay; its azimuth is drawn when it decays.
struct Parent {
  double mass = 0, pt = 0, rapidity = 0;
};

/// A Z: Breit-Wigner in the mass, whose tails end 40 widths from the peak.
Parent draw_z(EventRandom& random);

/// Falls like (1 + pt^2 / scale^2)^-3 in pt^2.
double draw_parent_pt(double scale, EventRandom& random);

/// Returns the momenta of two products of equal mass, isotropic in the rest frame of the parent.
std::pair<Vector, Vector> decay_to_pair(const Parent& parent, double product_mass, EventRandom& random);

/// A particle before its decay, whose momentum is known.
struct MovingParent {
  Vector momentum;
  double mass = 0;
};

/// Returns the momenta of two products, isotropic in the rest frame of the parent, which must be heavier.
std::pair<Vector, Vector> decay_in_flight(const MovingParent& parent, double first_mass, double second_mass,
                                          EventRandom& random);

}  // namespace skimline::generate
