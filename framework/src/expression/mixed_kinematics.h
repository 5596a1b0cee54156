// SPDX-License-Identifier: BSD-3-Clause
// Angles and masses of arguments of different types: formulas of which each operation has the type that C++
// gives it.
#pragma once

#include "expression/function_registry.h"

#include <vector>

namespace skimline {

/// The formulas of ROOT's VecOps for arguments that are not all `float` or all `double`, or with a half turn
/// of its own behind the angles. No steps for everything else, and where ROOT would compute with integers:
/// directions, or all arguments.
std::vector<ComposedStep> mixed_delta_phi(Arguments arguments);
std::vector<ComposedStep> mixed_distance(Arguments arguments);
std::vector<ComposedStep> mixed_squared_distance(Arguments arguments);
std::vector<ComposedStep> mixed_angle(Arguments arguments);
std::vector<ComposedStep> mixed_pair_mass(Arguments arguments);
std::vector<ComposedStep> mixed_pair_mass_of_components(Arguments arguments);
std::vector<ComposedStep> mixed_invariant_mass(Arguments arguments);

}  // namespace skimline
