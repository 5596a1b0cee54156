// SPDX-License-Identifier: BSD-3-Clause
// Functions of ROOT's TMath and TVector2, by the names that C++ code has for them.
#pragma once

#include "expression/function_registry.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

struct RootFunction {
  const Function* function = nullptr;
  bool takes_double = false;  ///< whether its arguments become double before it chooses by their types
};

/// "TMath::Sqrt" and the like; nothing for other names.
std::optional<RootFunction> find_root_function(std::string_view name);

/// Those of TMath that are formulas of numbers.
std::span<const Function> root_formulas();

/// The names of all of them.
std::vector<std::string> root_function_names();

}  // namespace skimline
