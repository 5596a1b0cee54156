// SPDX-License-Identifier: BSD-3-Clause
// Sums and quantities of Lorentz vectors, and the overloads for them of functions that also take numbers.
#pragma once

#include "expression/function_registry.h"

namespace skimline {

inline LorentzVector vector_sum(const LorentzVector& a, const LorentzVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy};
}

/// Quantities as ROOT's GenVector has them; azimuth in radians, a negative mass of a negative square.
double azimuth(const LorentzVector& v);
double pseudorapidity(const LorentzVector& v);
double invariant_mass(const LorentzVector& v);

/// Whether there are so many arguments, all of them vectors or lists of them.
bool are_vectors(Arguments arguments, std::size_t count);

std::optional<Operation> delta_phi_of_vectors(Arguments arguments);
std::optional<Operation> delta_r_of_vectors(Arguments arguments);
std::optional<Operation> angle_of_vectors(Arguments arguments);

}  // namespace skimline
