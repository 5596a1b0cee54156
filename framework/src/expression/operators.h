// SPDX-License-Identifier: BSD-3-Clause
// Operators and conversions, by operand types.
#pragma once

#include "expression/kernel.h"
#include "expression/syntax.h"

#include <optional>

namespace skimline {

/// The loop that converts numbers as static_cast does; out-of-range reals give the nearest integer, NaN
/// gives 0.
Loop conversion_loop(ScalarType from, ScalarType to);

/// The type both operands of an arithmetic operator convert to: C++'s usual arithmetic conversions.
ScalarType common_type(ScalarType a, ScalarType b);

/// The type of `c ? a : b`, and of std::common_type: that of both if they have one, else common_type.
ScalarType choice_type(ScalarType a, ScalarType b);

/// Integral promotion: types narrower than int become int.
ScalarType promoted(ScalarType scalar);

/// Whether a type holds negative integers.
bool is_signed_integer(ScalarType scalar);

/// Chooses a binary operator for scalar operand types; `on_lists` makes comparison and logic give int, as
/// RVec does, instead of bool. Nothing if the operator does not take these types.
std::optional<Operation> binary_operation(Operator op, ScalarType a, ScalarType b, bool on_lists);
std::optional<Operation> unary_operation(Operator op, ScalarType a, bool on_lists);

/// The same for operands of which one is no number.
std::optional<Operation> string_operation(Operator op, ScalarType a, ScalarType b, bool on_lists);
std::optional<Operation> lorentz_vector_operation(Operator op, ScalarType a, ScalarType b);
std::optional<Operation> lorentz_vector_operation(Operator op);

/// Selects per value between two arrays: operands bool, T, T.
Operation selection_operation(ScalarType scalar);

/// The integer division or remainder that needs no checks, for divisors known to be neither 0 nor -1.
Operation unchecked_division(Operator op, ScalarType scalar);

}  // namespace skimline
