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
  const Declaration& declared = syntax.declared[0];
  const Syntax& initial = *syntax.operands[0];
  const NodeId value = bind(initial);
  if (is_list(value) && cast_target(declared.type) && !is_list_cast(declared.type))
    fail(initial.range, "expected a number for \"" + declared.name + "\", found " + type_name(value));
  return as_declared(value, declared, initial);
}

// What is of numbers takes lists of them too, element by element.
NodeId Binder::as_declared(NodeId value, const Declaration& declared, const Syntax& syntax) {
  const std::optional<ScalarType> scalar = cast_target(declared.type);
  if (!scalar) return value;
  const bool is_of_lists = is_list_cast(declared.type);
  if (!is_number(type(value).scalar) || (is_of_lists && !is_list(value)))
    fail(syntax.range, "expected " + std::string(is_of_lists ? "a list of numbers" : "a number") + " for \"" +
                           declared.name + "\", found " + type_name(value));
  warn_of_converted_difference(value, *scalar, syntax, syntax.range);
  return convert(value, *scalar, graph_);
}

}  // namespace skimline
