// SPDX-License-Identifier: BSD-3-Clause
// Lists that are written value by value, `RVecF{x, y}`, or by their size, `RVecF(n, x)`.
#pragma once

#include "expression/kernel.h"

#include <cstddef>

namespace skimline {

/// A list of so many values of a type, one or more, in every entry. Operands are flat.
Operation list_of_values(ScalarType scalar, std::size_t count);

/// A list of the second operand, as often as the first, an integer, says. Operands are flat; negative sizes
/// and those beyond ListLayout's are faults of the entry.
Operation repeated_value(ScalarType scalar);

}  // namespace skimline
