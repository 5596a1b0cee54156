// SPDX-License-Identifier: BSD-3-Clause
// The functions of the expression language, by name.
#pragma once

#include "expression/constant.h"
#include "expression/kernel.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// What a function is called with.
struct Argument {
  Type type;
  const Constant* constant = nullptr;  ///< its value, if it is known before the first entry
};
using Arguments = std::span<const Argument>;

/// Whether all arguments are numbers, or lists of them.
bool are_numbers(Arguments arguments);
/// Whether there is one argument, a list.
inline bool is_one_list(Arguments arguments) {
  return arguments.size() == 1 && arguments[0].type.is_jagged();
}
/// Whether there is one argument, a list of numbers.
inline bool is_one_list_of_numbers(Arguments arguments) {
  return is_one_list(arguments) && are_numbers(arguments);
}

/// `float` if all arguments are, else `double`.
ScalarType common_real(Arguments arguments);
/// The loop on so many numbers of their common_real() type; nothing for other arguments.
std::optional<Operation> real_operation(Arguments arguments, std::size_t count, Loop on_float,
                                        Loop on_double);

/// Thrown by `choose` for an argument whose value is at fault.
struct ArgumentFault {
  std::size_t index = 0;
  std::string problem;
};

/// What a function of lists does with lists of lists.
enum class InnerLists {
  kApart,  ///< it works on each inner list; elements of lists beside them count as flat
  kWhole,  ///< `choose` decides
  /// kApart if the second argument, of indexes, is a list of lists, else kWhole.
  kIfIndexed,
};

/// One value of a formula: a name for the steps after it, and an expression of the steps before it and of the
/// arguments, which are called a0, a1 and so on.
struct ComposedStep {
  std::string name;
  std::string expression;
};

/// One function of the language. `choose` returns the operation for given arguments, or nothing if it does
/// not take them.
struct Function {
  std::string_view name;
  std::string_view signature;  ///< for messages: "DeltaR(eta1, eta2, phi1, phi2)"
  std::optional<Operation> (*choose)(Arguments arguments);
  InnerLists inner_lists = InnerLists::kApart;
  /// For arguments that have no operation of their own, a formula whose value is the last step; no steps for
  /// all others.
  std::vector<ComposedStep> (*compose)(Arguments arguments) = nullptr;
};

/// Returns nullptr if there is no function of that name.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

/// The functions of each family, one table a file.
std::span<const Function> math_functions();
std::span<const Function> list_functions();
std::span<const Function> statistics_functions();
std::span<const Function> ordering_functions();
std::span<const Function> element_selection_functions();
std::span<const Function> combination_functions();
std::span<const Function> generation_functions();
std::span<const Function> random_functions();
std::span<const Function> reference_functions();
std::span<const Function> kinematic_functions();
std::span<const Function> lorentz_vector_functions();
std::span<const Function> decay_functions();
std::span<const Function> event_shape_functions();
std::span<const Function> matching_functions();
std::span<const Function> string_functions();

}  // namespace skimline
