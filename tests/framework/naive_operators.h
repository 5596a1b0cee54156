// SPDX-License-Identifier: BSD-3-Clause
// Operators and conversions as C++ itself does them, one value at a time.
#pragma once

#include "expression/syntax.h"
#include "naive_value.h"

#include <functional>

namespace skimline::testing {

/// A conversion by static_cast; where that is undefined the nearest value, and 0 for NaN.
Scalar converted(NaiveContext& context, const Scalar& scalar, ScalarType to);
bool as_bool(const Scalar& scalar);

/// The type of a + b in C++.
ScalarType common_type_of(ScalarType a, ScalarType b);

/// The type of a choice between values of two types: their own if it is the same.
ScalarType joint_type_of(ScalarType a, ScalarType b);

/// The operators on single values. `on_lists`: they are elements of lists, for which RVec makes comparisons
/// int and keeps the type under unary operators.
Scalar binary(NaiveContext& context, Operator op, const Scalar& a, const Scalar& b, bool on_lists);
Scalar unary(NaiveContext& context, Operator op, const Scalar& a, bool on_lists);

/// Calls `function` with the flat values of all arguments: of lists with every element in turn. A flat value,
/// or a list beside lists of lists, stands beside every element of its partner.
using FlatFunction = std::function<Scalar(NaiveContext&, const std::vector<Scalar>&)>;
Value for_each_element(NaiveContext& context, const std::vector<Value>& arguments,
                       const FlatFunction& function);

/// The size of all lists among the arguments; a fault if they differ.
std::size_t common_size(const NaiveContext& context, const std::vector<Value>& arguments);
/// Of each list its element, and the flat values as they are.
std::vector<Value> elements_at(const std::vector<Value>& arguments, std::size_t index);
/// The same for lists that have none, to find out types.
std::vector<Value> default_elements(const std::vector<Value>& arguments);

/// Every value in it converted.
Value converted(NaiveContext& context, const Value& value, ScalarType to);

}  // namespace skimline::testing
