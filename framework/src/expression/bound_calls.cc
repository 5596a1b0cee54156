// SPDX-License-Identifier: BSD-3-Clause
// Calls: of functions of the language and of users, of casts, constants and patterns.
#include "expression/binding.h"
#include "expression/casts.h"
#include "expression/composed_names.h"
#include "expression/constants.h"
#include "expression/conversions.h"
#include "expression/external_calls.h"
#include "expression/function_names.h"
#include "expression/hints.h"
#include "expression/list_values.h"
#include "expression/misspellings.h"
#include "expression/object_syntax.h"
#include "expression/parameter_table.h"
#include "expression/range_functions.h"
#include "expression/root_functions.h"
#include "expression/unsigned_wrapping.h"
#include "expression/warnings.h"

#include <algorithm>
#include <utility>

namespace skimline {
namespace {

// Whether a list is written by its values or by its size.
bool makes_list(const Syntax& syntax) {
  return syntax.is_braced || (is_list_cast(syntax.name) && syntax.operands.size() == 2);
}

}  // namespace

void Binder::warn_of_arguments(const Operation& operation, const std::vector<NodeId>& nodes,
                               const Syntax& syntax) {
  warn(syntax.name_range, warning_of_narrow_sum(operation));
  for (std::size_t i = 0; i < nodes.size() && nodes.size() == syntax.operands.size(); ++i) {
    const TextRange range = syntax.operands[i]->range;
    warn(range, warning_of_choice(operation.name, graph_[nodes[i]], operation.operand_scalars[i]));
    warn(range, warning_of_indexes(operation.name, i, graph_[nodes[i]]));
    if (shows_size(operation, i, type(nodes[i]).scalar))
      warn_of_difference(nodes[i], *syntax.operands[i], range);
  }
}

NodeId Binder::call(const Syntax& syntax) {
  if (!syntax.operands.empty() && syntax.operands.back()->kind == SyntaxKind::kLambda)
    return call_with_lambda(syntax);
  if (syntax.name == "AnyOf" || syntax.name == "AllOf") return pattern(syntax);
  if (syntax.name == "bits") return bits(syntax);
  if (syntax.name == "p4" && syntax.operands.size() == 1 && !names_.functions().contains(syntax.name))
    return momentum(syntax);
  if (const auto scalar = cast_target(syntax.name))
    return makes_list(syntax) ? made_list(syntax, *scalar) : cast(syntax, *scalar);
  if (const auto constant = called_constant(syntax.name)) return call_constant(syntax, *constant);
  check_function(syntax);
  const std::vector<NodeId> arguments = bind_operands(syntax);
  if (const UserFunction* function = names_.functions().find(syntax.name))
    return call_user_function(*function, arguments, syntax);
  if (const std::string* ranges = names_.functions().find_ranges(syntax.name))
    return call_ranges(*ranges, arguments, syntax);
  if (const auto* function = names_.functions().find_external(syntax.name))
    return call_external(*function, arguments, syntax);
  if (const Function* function = find_function(syntax.name)) {
    const int levels = on_elements_ ? 1 : levels_around(*function, arguments);
    const auto steps =
        function->compose ? function->compose(seen(arguments, levels)) : std::vector<ComposedStep>();
    return steps.empty() ? call_function(*function, arguments, syntax)
                         : call_composed(steps, arguments, syntax);
  }
  if (const auto root = find_root_function(syntax.name))
    return call_function(*root->function, root->takes_double ? in_double(arguments, graph_) : arguments,
                         syntax);
  fail(syntax.name_range, unknown_function(syntax.name, names_.function_candidates()));
}

// Of `x.f()` it is x that is unknown first.
void Binder::check_function(const Syntax& syntax) const {
  const Syntax* object = syntax.is_member ? syntax.operands.front().get() : nullptr;
  const bool is_name = object && object->kind == SyntaxKind::kName && !object->is_quoted;
  const UserFunctions& functions = names_.functions();
  if (is_name && is_module(object->name) && !names_.find(object->name))
    fail(syntax.range, unknown_function(object->name + "::" + syntax.name, names_.function_candidates()));
  if (is_built_in_function(syntax.name) || functions.contains(syntax.name)) return;
  if (!object || (is_name && collection_of(*object, names_)))
    fail(syntax.name_range, unknown_function(syntax.name, names_.function_candidates()));
}

// Of objects the directions, where a function takes them: eta of all, then phi.
std::vector<NodeId> Binder::bind_operands(const Syntax& syntax) {
  const std::size_t num_objects = num_directed_objects(syntax, names_);
  std::vector<NodeId> nodes;
  for (const char* member : {"eta", "phi"})
    for (std::size_t i = 0; i < num_objects; ++i)
      nodes.push_back(member_path(*syntax.operands[i], member, syntax.range));
  for (std::size_t i = num_objects; i < syntax.operands.size(); ++i)
    nodes.push_back(bind_operand(*syntax.operands[i], syntax));
  return nodes;
}

// Functions that look at the sizes of lists only take collections too.
NodeId Binder::bind_operand(const Syntax& operand, const Syntax& call) {
  const auto counted = takes_sizes(call.name) ? counted_member_of(operand, names_) : std::nullopt;
  return counted ? member_path(operand, *counted, operand.range) : bind(operand);
}

// `objects.p4()`: of what the collection has of the members that a momentum is made of.
NodeId Binder::momentum(const Syntax& syntax) {
  const Syntax& objects = *syntax.operands[0];
  const auto collection = collection_of(objects, names_);
  if (!collection)
    fail(syntax.range, "p4() is of objects of a collection; P4(pt, eta, phi, mass) is of numbers");
  const std::string made(kMomentumMember);
  if (names_.find(*collection + "." + made)) return member_path(objects, made, syntax.range);
  const auto made_of = momentum_members(*collection, names_);
  if (!made_of)
    fail(syntax.range, "\"" + *collection + "\" has no momenta, which are made of the members " +
                           std::string(kMembersOfMomenta));
  std::vector<NodeId> nodes;
  for (const std::string& member : made_of->members)
    nodes.push_back(member_path(objects, member, syntax.range));
  return call_function(*find_function(made_of->function), nodes, syntax);
}

NodeId Binder::call_constant(const Syntax& syntax, const Constant& constant) {
  if (!syntax.operands.empty()) fail(syntax.range, syntax.name + "() takes no arguments");
  return add_constant(graph_, constant, text_of(syntax));
}

// `RVecF{x, y}` and `RVecF(n, x)`. `RVecF{list}` is a cast, as in C++.
NodeId Binder::made_list(const Syntax& syntax, ScalarType scalar) {
  if (on_elements_) fail(syntax.range, "a lambda makes no lists");
  std::vector<NodeId> nodes;
  for (const SyntaxPointer& operand : syntax.operands) nodes.push_back(bind(*operand));
  if (syntax.is_braced && nodes.size() == 1 && is_list(nodes[0]) && is_number(type(nodes[0]).scalar))
    return convert(nodes[0], scalar, graph_);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ScalarType becomes = i == 0 && !syntax.is_braced ? ScalarType::kInt64 : scalar;
    check_is_value(nodes[i], becomes, *syntax.operands[i]);
    warn_of_converted_difference(nodes[i], becomes, *syntax.operands[i], syntax.operands[i]->range);
  }
  if (!syntax.is_braced) return apply(repeated_value(scalar), nodes, syntax);
  if (!nodes.empty()) return apply(list_of_values(scalar, nodes.size()), nodes, syntax);
  const NodeId none = add_constant(graph_, Constant::of(std::int64_t{0}), "0");
  return apply(repeated_value(scalar), {none, none}, syntax);
}

// What becomes a value of a list of numbers, or its size.
void Binder::check_is_value(NodeId value, ScalarType scalar, const Syntax& syntax) const {
  const Type found = type(value);
  if (found.is_jagged() || !is_number(found.scalar))
    fail(syntax.range, "expected a number, found " + name_of(found) +
                           (found.is_jagged() ? ": lists are joined by Concatenate(x, y)" : ""));
  if (is_floating(found.scalar) && is_integer(scalar))
    fail(syntax.range, "a " + name_of(found) + " would lose its fraction as " + std::string(name_of(scalar)));
}

NodeId Binder::cast(const Syntax& syntax, ScalarType scalar) {
  if (syntax.operands.size() != 1) fail(syntax.range, syntax.name + "(x) takes one argument");
  is_truncated_on_purpose_ = is_integer(scalar) && syntax.operands[0]->op == Operator::kDivide;
  const NodeId operand = bind(*syntax.operands[0]);
  is_truncated_on_purpose_ = false;
  if (!is_number(type(operand).scalar) || (is_list_cast(syntax.name) && !is_list(operand)))
    fail(syntax.range, takes_other(syntax.name, type(operand)));
  warn_of_converted_difference(operand, scalar, *syntax.operands[0], syntax.name_range);
  return convert(operand, scalar, graph_);
}

void Binder::warn_of_converted_difference(NodeId value, ScalarType scalar, const Syntax& syntax,
                                          TextRange range) {
  if ((is_floating(scalar) || is_signed_integer(scalar)) && shows_wrapping(type(value).scalar, scalar))
    warn_of_difference(value, syntax, range);
}

// Any or all of the flags whose names match.
NodeId Binder::pattern(const Syntax& syntax) {
  const Operator op = syntax.name == "AnyOf" ? Operator::kOr : Operator::kAnd;
  const auto operation = binary_operation(op, ScalarType::kBool, ScalarType::kBool, false);
  std::vector<NodeId> flags = flags_of(syntax);
  if (flags.empty()) fail(syntax.range, syntax.name + "(\"pattern\", ...) needs a pattern of column names");
  // By halves, so that thousands of flags do not build on one another.
  for (; flags.size() > 1; flags.resize((flags.size() + 1) / 2))
    for (std::size_t i = 0; i < flags.size(); i += 2)
      flags[i / 2] = i + 1 < flags.size() ? apply(*operation, {flags[i], flags[i + 1]}, syntax) : flags[i];
  return flags.front();
}

std::vector<NodeId> Binder::flags_of(const Syntax& syntax) {
  std::vector<NodeId> flags;
  for (const SyntaxPointer& operand : syntax.operands) {
    if (operand->kind != SyntaxKind::kString)
      fail(operand->range, "expected a pattern of column names in quotes");
    // Passed over, a flag that some files lack would be false in all of them.
    if (const Schema::Unusable* other = names_.unusable_match(operand->string))
      fail(operand->range, "the pattern matches \"" + other->name +
                               "\", which cannot be used in expressions: " + other->reason);
    const std::vector<std::string> matches = names_.matching(operand->string);
    if (matches.empty())
      fail(operand->range, "no column matches \"" + operand->string + "\"" +
                               did_you_mean(operand->string, names_.candidates_for(operand->string)));
    for (const std::string& name : matches) flags.push_back(flag(name, *operand));
  }
  return flags;
}

NodeId Binder::flag(const std::string& name, const Syntax& pattern) {
  const NodeId column = *names_.find(name);
  if (type(column).is_jagged() || !is_integer(type(column).scalar))
    fail(pattern.range, "the pattern matches \"" + name + "\", which is " + type_name(column) +
                            " and not one bool or integer per entry");
  return convert(column, ScalarType::kBool, graph_);
}

void Binder::check_count(std::size_t count, std::size_t expected, const std::string& signature,
                         const Syntax& syntax) const {
  if (count == expected) return;
  fail(syntax.range, signature + " takes " + std::to_string(expected) +
                         (expected == 1 ? " argument" : " arguments") + ", not " + std::to_string(count));
}

NodeId Binder::call_user_function(const UserFunction& function, std::vector<NodeId> arguments,
                                  const Syntax& syntax) {
  check_count(arguments.size(), function.parameters.size(), function.signature, syntax);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    arguments[i] = as_declared(arguments[i], function.parameters[i], *syntax.operands.at(i));
  // What is known of lists does not hold for their elements.
  if (const auto known = function.calls.find(arguments); known != function.calls.end() && !on_elements_)
    return known->second;
  ParameterTable parameters(function, arguments, names_);
  try {
    Binder binder(function.body, parameters, *this);
    const NodeId value = binder.bind_whole(*function.syntax);
    const NodeId result = binder.as_declared(value, {function.result, function.name, {}}, *function.syntax);
    if (!on_elements_) function.calls.emplace(arguments, result);
    return result;
  } catch (const ExpressionError& error) {
    fail(syntax.range, "in " + function.signature + ", at \"" +
                           error.text().substr(error.offset(), error.length()) + "\": " + error.problem());
  }
}

NodeId Binder::call_ranges(const std::string& ranges, std::vector<NodeId> operands, const Syntax& syntax) {
  const std::string types = operands.empty() ? "nothing" : types_in(seen(operands, on_elements_));
  operands.push_back(add_constant(graph_, Constant::of(graph_.intern(ranges)), syntax.name));
  auto operation = choose_in_ranges(seen(operands, on_elements_));
  if (!operation) fail(syntax.range, syntax.name + "(key, value) takes two integers, not " + types);
  // Names of operations are static.
  operation->name = "in_ranges";
  return apply(*operation, std::move(operands), syntax);
}

// Neither folded nor simplified: what it does is not known.
NodeId Binder::call_external(const std::shared_ptr<const ExternalFunction>& function,
                             std::vector<NodeId> operands, const Syntax& syntax) {
  check_count(operands.size(), num_parameters(*function), signature_of(*function), syntax);
  const auto operation = choose([&] { return choose_external(function, seen(operands, 0)); }, syntax);
  if (!operation)
    fail(syntax.range, signature_of(*function) + " does not take " + types_in(seen(operands, 0)));
  for (std::size_t i = 0; i < operands.size() && operands.size() == syntax.operands.size(); ++i)
    warn_of_difference(operands[i], *syntax.operands[i], syntax.operands[i]->range);
  operands = converted(std::move(operands), operation->operand_scalars, graph_);
  // Functions of columns decide themselves what lists of different shapes mean.
  if (operation->list_sizes == ListSizes::kEqual) make_one_shape(operands);
  Node node = kernel_node(*operation, std::move(operands), syntax);
  node.is_costly = true;
  return graph_.add(std::move(node));
}

NodeId Binder::call_function(const Function& function, const std::vector<NodeId>& nodes,
                             const Syntax& syntax) {
  const int levels = levels_around(function, nodes);
  const std::vector<Argument> arguments = seen(nodes, on_elements_ ? 1 : levels);
  auto operation = choose([&] { return function.choose(arguments); }, syntax);
  if (operation) {
    operation->name = function.name;
    warn_of_arguments(*operation, nodes, syntax);
  }
  // Element-wise functions take lists of any depth as they are.
  if (operation && operation->loop) return apply(*operation, nodes, syntax);
  if (operation && on_elements_)
    fail(syntax.range, std::string(function.signature) + " is no function of elements, which a lambda sees");
  if (operation && levels > 0) return apply_to_inner_lists(*operation, levels, nodes, syntax);
  if (operation) return apply(*operation, nodes, syntax);
  fail(syntax.range,
       std::string(function.signature) + (nodes.empty() ? " needs arguments"
                                                        : " does not take " + types_in(arguments) +
                                                              hint_at_arguments(function.name, arguments)));
}

int Binder::levels_around(const Function& function, const std::vector<NodeId>& nodes) const {
  int depth = 0;
  if (function.inner_lists == InnerLists::kIfIndexed && nodes.size() > 1) depth = type(nodes[1]).depth;
  if (function.inner_lists == InnerLists::kApart)
    for (const NodeId node : nodes) depth = std::max(depth, type(node).depth);
  return std::max(depth - 1, 0);
}

std::vector<Argument> Binder::seen(const std::vector<NodeId>& nodes, int levels) const {
  std::vector<Argument> arguments;
  for (const NodeId node : nodes) {
    const Type all = type(node);
    arguments.push_back({{all.scalar, std::max(all.depth - levels, 0)},
                         is_constant(graph_, node) ? &graph_[node].constant : nullptr});
  }
  return arguments;
}

NodeId Binder::call_function(std::string_view name, const std::vector<NodeId>& nodes, const Syntax& syntax) {
  return call_function(*find_function(name), nodes, syntax);
}

NodeId Binder::call_composed(const std::vector<ComposedStep>& steps, const std::vector<NodeId>& nodes,
                             const Syntax& syntax) {
  ComposedNames names(nodes, names_.functions());
  NodeId last = kNoNode;
  for (const ComposedStep& step : steps) {
    Binder binder(step.expression, names, *this);
    binder.shown_ = text_of(syntax);
    last = binder.bind(*parse(step.expression));
    names.add(step.name, last);
  }
  return last;
}

}  // namespace skimline
