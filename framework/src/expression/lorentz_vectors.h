// SPDX-License-Identifier: BSD-3-Clause
// Sums of Lorentz vectors, and the overloads for them of functions that also take numbers.
#pragma once

#include "expression/function_registry.h"

namespace skimline {

inline LorentzVector vector_sum(const LorentzVector& a, const LorentzVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy};
}

std::optional<Operation> delta_phi_of_vectors(Arguments arguments);
std::optional<Operation> delta_r_of_vectors(Arguments arguments);
std::optional<Operation> angle_of_vectors(Arguments arguments);

}  // namespace skimline
