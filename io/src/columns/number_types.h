// SPDX-License-Identifier: BSD-3-Clause
// Numbers of one type as numbers of another that holds them all.
#pragma once

#include "skimline/framework/column.h"

#include <optional>

namespace skimline::io {

/// Returns the smallest type that holds all values of both, nothing if there is none: of signed and unsigned
/// integers a wider signed one, of integers up to 32 bits and reals the real one or double.
std::optional<ScalarType> common_type(ScalarType a, ScalarType b);

/// Converts `count` values.
void convert(ScalarType from, const void* values, std::size_t count, ScalarType to, void* converted);

}  // namespace skimline::io
