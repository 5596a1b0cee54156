// SPDX-License-Identifier: BSD-3-Clause
// Angles and masses of arguments of different types, on one entry: every operation in the type that C++ gives
// it.
#pragma once

#include "naive_functions.h"

#include <optional>

namespace skimline::testing {

/// Nothing where the arguments are of one type, or integers stand where ROOT takes none.
std::optional<Value> naive_mixed_delta_phi(NaiveCall& call);
std::optional<Value> naive_mixed_distance(NaiveCall& call, bool is_square);
std::optional<Value> naive_mixed_angle(NaiveCall& call);
std::optional<Value> naive_mixed_pair_mass(NaiveCall& call, bool is_polar);
std::optional<Value> naive_mixed_mass(NaiveCall& call);

}  // namespace skimline::testing
