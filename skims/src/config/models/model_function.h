// SPDX-License-Identifier: BSD-3-Clause
// Models as functions of numbers, whose values do not depend on what is evaluated beside them.
#pragma once

#include "skimline/framework/external_function.h"
#include "skimline/skims/models.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// How many objects are evaluated at once where a model takes any number.
inline constexpr std::size_t kModelRows = 128;

/// Which number of which output of a model is wanted, for which arguments.
struct ModelCall {
  std::shared_ptr<const Model> model;
  std::vector<std::size_t> widths;  ///< how many numbers an object has in each input
  /// For each number of an object, those of its first input first, the argument that it is.
  std::vector<std::size_t> arguments;
  std::vector<std::string> names = {};  ///< of the arguments
  std::size_t output = 0;
  std::size_t num_values = 1;  ///< that an object has in the output
  std::size_t element = 0;     ///< which one of them
};

/// How many numbers an object has in the output, found out by evaluating zeros. Throws Error if the model
/// cannot be evaluated.
std::size_t count_values(const ModelCall& call);

/// A call as a function, and how it is evaluated.
struct ModelFunction {
  ElementFunction function;
  bool is_alone = false;  ///< object by object
};

/// Makes the function that a call is. Objects are evaluated in blocks, unless the model gives other bits for
/// an object elsewhere in its block, or beside others: then each by itself. Throws Error if it gives other
/// ones each time, or wants several objects at once and gives one other values in other places.
ModelFunction model_function(ModelCall call);

}  // namespace skimline::skims
