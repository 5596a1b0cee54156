// SPDX-License-Identifier: BSD-3-Clause
// The overloads for Lorentz vectors of functions that also take numbers.
#pragma once

#include "expression/function_registry.h"

namespace skimline {

std::optional<Operation> delta_phi_of_vectors(Arguments arguments);
std::optional<Operation> delta_r_of_vectors(Arguments arguments);
std::optional<Operation> angle_of_vectors(Arguments arguments);

}  // namespace skimline
