// SPDX-License-Identifier: BSD-3-Clause
// The overloads for strings of functions that also take lists.
#pragma once

#include "expression/function_registry.h"

namespace skimline {

/// The number of bytes of one string per entry.
std::optional<Operation> length_of_string(Arguments arguments);

}  // namespace skimline
