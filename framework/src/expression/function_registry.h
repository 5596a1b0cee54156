// SPDX-License-Identifier: BSD-3-Clause
// The functions of the expression language, by name.
#pragma once

#include "expression/kernel.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// One function of the language. `choose` returns the operation for given argument types, or nothing if it
/// does not take them.
struct Function {
  std::string_view name;
  std::string_view signature;  ///< for messages: "DeltaR(eta1, eta2, phi1, phi2)"
  std::optional<Operation> (*choose)(std::span<const Type> arguments);
};

/// Returns nullptr if there is no function of that name.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

/// The functions of each family, one table a file.
std::span<const Function> math_functions();
std::span<const Function> list_functions();
std::span<const Function> kinematic_functions();

}  // namespace skimline
