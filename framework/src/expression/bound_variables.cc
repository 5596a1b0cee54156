// SPDX-License-Identifier: BSD-3-Clause
// Variables in the bodies of functions. Their values are bound once, where they are declared, and evaluated
// where they are used.
#include "expression/binding.h"
#include "expression/casts.h"
#include "expression/conversions.h"
#include "expression/variable_names.h"

#include <optional>

namespace skimline {

NodeId Binder::with_variable(const Syntax& syntax) {
  const std::string& name = syntax.declared[0].name;
  const Syntax &initial = *syntax.operands[0], &body = *syntax.operands[1];
  const NodeId value = value_of_variable(syntax);
  const auto bound_with = [&](NameTable& names, const LambdaNames* lambda) {
    Binder binder(text_, names, *this);
    binder.lambda_ = lambda;
    return binder.bind(body);
  };
  if (!lambda_) {
    VariableNames names(name, value, names_);
    return bound_with(names, nullptr);
  }
  if (lambda_->mentions(initial)) {
    LambdaNames elements(*lambda_, lambda_->outer());
    elements.add(name, value);
    return bound_with(elements, &elements);
  }
  VariableNames outer(name, value, lambda_->outer());
  LambdaNames elements(*lambda_, outer);
  return bound_with(elements, &elements);
}

// As C++ initialises it: converted to the type that is written.
NodeId Binder::value_of_variable(const Syntax& syntax) {
  const std::string& written = syntax.declared[0].type;
  const Syntax& initial = *syntax.operands[0];
  const NodeId value = bind(initial);
  const std::optional<ScalarType> scalar = cast_target(written);
  if (!scalar) return value;
  const bool is_of_lists = is_list_cast(written);
  if (!is_number(type(value).scalar) || is_list(value) != is_of_lists)
    fail(initial.range, "expected " + std::string(is_of_lists ? "a list of numbers" : "a number") +
                            " for \"" + syntax.declared[0].name + "\", found " + type_name(value));
  warn_of_converted_difference(value, *scalar, initial, initial.range);
  return convert(value, *scalar, graph_);
}

}  // namespace skimline
