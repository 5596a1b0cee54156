// SPDX-License-Identifier: BSD-3-Clause
// Functions of two integers that say whether the second lies in one of the ranges of the first.
#pragma once

#include "expression/function_registry.h"

#include "skimline/framework/ranges_by_key.h"

#include <optional>
#include <string>

namespace skimline {

/// Returns the ranges as a text, which a constant of the graph can hold: sorted, those that overlap or follow
/// each other joined, those whose end lies before their begin left out.
std::string packed_ranges(const RangesByKey& ranges);

/// Returns the operation on a key, a value and packed ranges, or nothing if these are not two integers and a
/// string. For lists it gives int, as a comparison does.
std::optional<Operation> choose_in_ranges(Arguments arguments);

}  // namespace skimline
