// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions whose code lies outside of the language.
#pragma once

#include "expression/function_registry.h"
#include "expression/kernel.h"

#include "skimline/framework/external_function.h"

#include <memory>
#include <optional>

namespace skimline {

/// How many arguments the function takes.
std::size_t num_parameters(const ExternalFunction& function);

/// Returns the operation for given arguments, as many as the function takes, or nothing if it does not take
/// them; throws ArgumentFault if one argument is at fault. Element-wise operations want arguments of one
/// shape, but for constants.
std::optional<Operation> choose_external(const std::shared_ptr<const ExternalFunction>& function,
                                         Arguments arguments);

}  // namespace skimline
