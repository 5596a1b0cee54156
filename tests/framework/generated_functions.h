// SPDX-License-Identifier: BSD-3-Clause
// What the generator of expressions knows of each function.
#pragma once

#include "expression_generator.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace skimline::testing {

std::span<const GeneratedFunction> generated_functions();

/// Works on each element of its arguments.
bool is_elementwise(const GeneratedFunction& function);
/// Gives one value for a list.
bool is_reduction(const GeneratedFunction& function);
/// Gives a list for lists.
bool gives_list(const GeneratedFunction& function);
/// Has no answer for an empty list.
bool fails_if_empty(const GeneratedFunction& function);

/// Whether RDataFrame has the function for these arguments, with the same meaning.
bool is_same_in_rdataframe(const GeneratedFunction& function, const std::vector<std::string>& arguments,
                           const std::function<Type(const std::string&)>& type_of);

}  // namespace skimline::testing
