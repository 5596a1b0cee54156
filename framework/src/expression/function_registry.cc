// SPDX-License-Identifier: BSD-3-Clause
#include "expression/function_registry.h"

#include <algorithm>
#include <unordered_map>

namespace skimline {
namespace {

using FunctionMap = std::unordered_map<std::string_view, const Function*>;

const FunctionMap& functions() {
  static const FunctionMap map = [] {
    FunctionMap made;
    for (const auto family :
         {math_functions(), list_functions(), statistics_functions(), ordering_functions(),
          element_selection_functions(), reference_functions(), combination_functions(),
          generation_functions(), random_functions(), kinematic_functions(), lorentz_vector_functions(),
          decay_functions(), event_shape_functions(), matching_functions(), string_functions()})
      for (const Function& function : family) made.emplace(function.name, &function);
    return made;
  }();
  return map;
}

}  // namespace

bool are_numbers(Arguments arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Argument& each) { return is_number(each.type.scalar); });
}

ScalarType common_real(Arguments arguments) {
  const bool all_float = std::all_of(arguments.begin(), arguments.end(), [](const Argument& each) {
    return each.type.scalar == ScalarType::kFloat;
  });
  return all_float ? ScalarType::kFloat : ScalarType::kDouble;
}

std::optional<Operation> real_operation(Arguments arguments, std::size_t count, Loop on_float,
                                        Loop on_double) {
  if (arguments.size() != count || !are_numbers(arguments)) return std::nullopt;
  Operation operation;
  operation.result = common_real(arguments);
  operation.operand_scalars.assign(count, operation.result);
  operation.loop = operation.result == ScalarType::kFloat ? on_float : on_double;
  return operation;
}

const Function* find_function(std::string_view name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : found->second;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) names.emplace_back(name);
  return names;
}

}  // namespace skimline
