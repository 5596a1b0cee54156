// SPDX-License-Identifier: BSD-3-Clause
// The functions of the language on one entry, each written out for itself.
#pragma once

#include "naive_value.h"

#include <span>
#include <string_view>
#include <vector>

namespace skimline::testing {

/// One call. `on_lists`: an argument was a list, also where the function sees its elements.
struct NaiveCall {
  NaiveContext& context;
  std::vector<Value> arguments;
  bool on_lists = false;

  /// Throws NaiveRefusal unless there are so many arguments.
  void expect(std::size_t count) const;
};

enum class NaiveShape {
  kValues,   ///< is called with flat values: of lists with one element each
  kLists,    ///< is called with flat values and lists: of lists of lists with one inner list each
  kWhole,    ///< is called with the arguments as they are
  kIndexed,  ///< as kLists if the second argument, of indexes, is a list of lists, else as kWhole
};

struct NaiveFunction {
  std::string_view name;
  NaiveShape shape;
  Value (*call)(NaiveCall& call);
};

/// Returns nullptr if there is none of that name.
const NaiveFunction* find_naive_function(std::string_view name);

std::span<const NaiveFunction> naive_math_functions();
std::span<const NaiveFunction> naive_list_functions();
std::span<const NaiveFunction> naive_kinematic_functions();
std::span<const NaiveFunction> naive_string_functions();
std::span<const NaiveFunction> naive_vecops_functions();
std::span<const NaiveFunction> naive_random_functions();
std::span<const NaiveFunction> naive_event_functions();

/// Quantities of Lorentz vectors.
double naive_eta(const LorentzVector& v);
double naive_phi(const LorentzVector& v);
double naive_mass(const LorentzVector& v);

/// Whether the values of all arguments are of one scalar type.
bool all_are(const NaiveCall& call, ScalarType scalar);
/// The argument as a flat double; or as a list of doubles.
double double_argument(const NaiveCall& call, std::size_t index);

}  // namespace skimline::testing
