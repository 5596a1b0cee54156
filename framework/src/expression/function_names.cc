// SPDX-License-Identifier: BSD-3-Clause
#include "expression/function_names.h"

#include "expression/casts.h"
#include "expression/constants.h"
#include "expression/function_registry.h"
#include "expression/misspellings.h"
#include "expression/root_functions.h"

#include <algorithm>
#include <iterator>

namespace skimline {

bool is_built_in_function(std::string_view name) {
  // Those that are bound in their own ways.
  constexpr std::string_view kSpecial[] = {"AnyOf", "AllOf", "bits", "Map", "Filter"};
  return std::find(std::begin(kSpecial), std::end(kSpecial), name) != std::end(kSpecial) ||
         cast_target(name) || called_constant(name) || find_function(name) || find_root_function(name);
}

std::string unknown_function(const std::string& name, const std::vector<std::string>& added) {
  std::vector<std::string> known = function_names();
  for (const std::string& root : root_function_names()) known.push_back(root);
  for (const std::string& constant : called_constant_names()) known.push_back(constant);
  known.insert(known.end(), added.begin(), added.end());
  // "np::sqrt" is written "np.sqrt".
  const std::size_t dots = name.rfind("::");
  const std::string shown = dots != std::string::npos && is_module(name)
                                ? name.substr(0, dots) + "." + name.substr(dots + 2)
                                : name;
  return "unknown function \"" + shown + "\"" + meant_function(name, known);
}

}  // namespace skimline
