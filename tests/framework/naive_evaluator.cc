// SPDX-License-Identifier: BSD-3-Clause
#include "naive_evaluator.h"

#include "naive_functions.h"
#include "naive_operators.h"

#include "skimline/framework/schema.h"

#include <algorithm>

namespace skimline::testing {
namespace {

const std::map<std::string, ScalarType, std::less<>>& casts() {
  static const std::map<std::string, ScalarType, std::less<>> kCasts = {
      {"bool", ScalarType::kBool},       {"int8_t", ScalarType::kInt8},     {"uint8_t", ScalarType::kUInt8},
      {"short", ScalarType::kInt16},     {"int16_t", ScalarType::kInt16},   {"uint16_t", ScalarType::kUInt16},
      {"int", ScalarType::kInt32},       {"int32_t", ScalarType::kInt32},   {"unsigned", ScalarType::kUInt32},
      {"uint32_t", ScalarType::kUInt32}, {"long", ScalarType::kInt64},      {"int64_t", ScalarType::kInt64},
      {"size_t", ScalarType::kUInt64},   {"uint64_t", ScalarType::kUInt64}, {"float", ScalarType::kFloat},
      {"double", ScalarType::kDouble}};
  return kCasts;
}

Scalar literal(const Constant& constant) {
  return visit_scalar(constant.scalar,
                      [&](auto tag) -> Scalar { return constant.as<typename decltype(tag)::type>(); });
}

Value masked(NaiveContext& context, const Value& list, const Value& mask) {
  if (list.elements.size() != mask.elements.size()) context.fault("lists of different sizes");
  Value result{list.type, {}, {}};
  for (std::size_t i = 0; i < std::min(list.elements.size(), mask.elements.size()); ++i) {
    if (mask.type.depth > 1)
      result.elements.push_back(masked(context, list.elements[i], mask.elements[i]));
    else if (as_bool(mask.elements[i].scalar))
      result.elements.push_back(list.elements[i]);
  }
  return result;
}

Value element(NaiveContext& context, const Value& list, const Scalar& index) {
  // Of a size beyond any index, and of an index that is negative, nothing is there.
  const auto position = std::get<std::int64_t>(converted(context, index, ScalarType::kInt64));
  if (position >= 0 && static_cast<std::uint64_t>(position) < list.elements.size())
    return list.elements[static_cast<std::size_t>(position)];
  context.fault("is out of range of a list");
  return default_value({list.type.scalar, list.type.depth - 1});
}

// Of those operands that have values, and of the lists in them.
void add_problem_of_sizes(const NaiveContext& context, const std::vector<Value>& values, NaiveFault& faults) {
  try {
    const std::size_t size = common_size(context, values);
    for (std::size_t i = 0; i < size; ++i) add_problem_of_sizes(context, elements_at(values, i), faults);
  } catch (const NaiveFault& fault) {
    faults.problems.insert(fault.problems.begin(), fault.problems.end());
  }
}

Value call_function(const NaiveFunction& function, NaiveContext& context, std::vector<Value> arguments);

// Calls a function of lists for each inner list.
Value for_each_inner_list(const NaiveFunction& function, NaiveContext& context,
                          const std::vector<Value>& arguments) {
  const std::size_t size = common_size(context, arguments);
  Value result;
  if (size == 0) {
    NaiveContext typing;
    typing.is_typing = true;
    const Type inner = call_function(function, typing, default_elements(arguments)).type;
    result.type = {inner.scalar, inner.depth + 1};
  }
  NaiveFault faults;
  for (std::size_t i = 0; i < size; ++i) {
    try {
      result.elements.push_back(call_function(function, context, elements_at(arguments, i)));
      result.type = {result.elements.back().type.scalar, result.elements.back().type.depth + 1};
    } catch (const NaiveFault& fault) {
      faults.problems.insert(fault.problems.begin(), fault.problems.end());
    }
  }
  if (!faults.problems.empty()) throw faults;
  if (result.type.depth > 3) throw NaiveRefusal("lists nested too deeply");
  return result;
}

Value call_function(const NaiveFunction& function, NaiveContext& context, std::vector<Value> arguments) {
  const auto has_depth = [&](int depth) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const Value& argument) { return argument.type.depth >= depth; });
  };
  const bool on_lists = has_depth(1);
  if (function.shape == NaiveShape::kValues)
    return for_each_element(context, arguments, [&](NaiveContext& used, const std::vector<Scalar>& scalars) {
      NaiveCall call{used, {}, on_lists};
      for (const Scalar& scalar : scalars) call.arguments.push_back(flat_value(scalar));
      return function.call(call).scalar;
    });
  const bool has_indexes_of_inner_lists = arguments.size() > 1 && arguments[1].type.depth >= 2;
  if ((function.shape == NaiveShape::kLists && has_depth(2)) ||
      (function.shape == NaiveShape::kIndexed && has_indexes_of_inner_lists))
    return for_each_inner_list(function, context, arguments);
  if (function.shape == NaiveShape::kLists && !on_lists)
    throw NaiveRefusal(std::string(function.name) + " is of lists");
  NaiveCall call{context, std::move(arguments), on_lists};
  return function.call(call);
}

}  // namespace

void NaiveEvaluator::define_function(const NaiveUserFunction& function) {
  const SyntaxPointer signature = parse(function.signature);
  UserFunction made;
  for (const SyntaxPointer& parameter : signature->operands) made.parameters.push_back(parameter->name);
  made.body = parse(function.body);
  functions_[signature->name] = std::move(made);
}

void NaiveEvaluator::define(const std::string& name, const std::string& expression) {
  definitions_[name] = expression;
}

const Syntax& NaiveEvaluator::parsed(const std::string& expression) {
  SyntaxPointer& syntax = parsed_[expression];
  if (!syntax) syntax = parse(expression);
  return *syntax;
}

Value NaiveEvaluator::evaluate(const std::string& expression, const NaiveEntry& entry,
                               NaiveContext& context) {
  return evaluate(parsed(expression), {entry, context, nullptr});
}

Type NaiveEvaluator::type_of(const std::string& expression, const NaiveEntry& entry) {
  NaiveContext typing;
  typing.is_typing = true;
  return evaluate(expression, entry, typing).type;
}

Value NaiveEvaluator::evaluate(const Syntax& syntax, const Place& place) {
  switch (syntax.kind) {
    case SyntaxKind::kLiteral:
      return flat_value(literal(syntax.literal));
    case SyntaxKind::kString:
      return flat_value(syntax.string);
    case SyntaxKind::kName:
      return name(syntax, place);
    case SyntaxKind::kUnary: {
      const std::vector<Value> operand = operands(syntax, place);
      return for_each_element(place.context, operand,
                              [&](NaiveContext& context, const std::vector<Scalar>& scalars) {
                                return unary(context, syntax.op, scalars[0], operand[0].is_list());
                              });
    }
    case SyntaxKind::kBinary:
      return binary(syntax, place);
    case SyntaxKind::kConditional:
      return conditional(syntax, place);
    case SyntaxKind::kIndex:
      return index(syntax, place);
    case SyntaxKind::kCall:
      return call(syntax, place);
    case SyntaxKind::kMember:
    case SyntaxKind::kLambda:
    case SyntaxKind::kBlock:
    case SyntaxKind::kReturn:
    case SyntaxKind::kVariable:
    case SyntaxKind::kAssignment:
    case SyntaxKind::kIf:
      break;
  }
  throw NaiveRefusal("unknown syntax");
}

// All of them, also where one has no answer: each problem is one that may be reported.
std::vector<Value> NaiveEvaluator::operands(const Syntax& syntax, const Place& place) {
  std::vector<Value> values;
  NaiveFault faults;
  for (const SyntaxPointer& operand : syntax.operands) {
    try {
      values.push_back(evaluate(*operand, place));
    } catch (const NaiveFault& fault) {
      faults.problems.insert(fault.problems.begin(), fault.problems.end());
    }
  }
  if (faults.problems.empty()) return values;
  add_problem_of_sizes(place.context, values, faults);
  throw faults;
}

Value NaiveEvaluator::name(const Syntax& syntax, const Place& place) {
  if (place.call) {
    const auto argument = place.call->arguments.find(syntax.name);
    if (argument == place.call->arguments.end()) throw NaiveRefusal("unknown parameter " + syntax.name);
    return evaluate(*argument->second.first, {place.entry, place.context, argument->second.second});
  }
  if (const auto definition = definitions_.find(syntax.name); definition != definitions_.end())
    return evaluate(definition->second, place.entry, place.context);
  const Value* value = place.entry.find(syntax.name);
  if (!value) throw NaiveRefusal("unknown column " + syntax.name);
  return place.context.is_typing ? default_value(value->type) : *value;
}

bool NaiveEvaluator::has_false_condition(const std::string& expression, const NaiveEntry& entry) {
  return has_false_condition(parsed(expression), entry);
}

bool NaiveEvaluator::has_false_condition(const Syntax& syntax, const NaiveEntry& entry) {
  if (syntax.kind == SyntaxKind::kBinary && syntax.op == Operator::kAnd)
    return has_false_condition(*syntax.operands[0], entry) || has_false_condition(*syntax.operands[1], entry);
  if (const auto definition = definitions_.find(syntax.name);
      syntax.kind == SyntaxKind::kName && definition != definitions_.end())
    return has_false_condition(definition->second, entry);
  NaiveContext context;
  try {
    const Value value = evaluate(syntax, {entry, context});
    return !value.is_list() && !as_bool(value.scalar);
  } catch (const NaiveFault&) {
    return false;
  }
}

Value NaiveEvaluator::binary(const Syntax& syntax, const Place& place) {
  NaiveContext& context = place.context;
  if (syntax.op == Operator::kAnd || syntax.op == Operator::kOr) {
    // The shapes decide whether the right side may be left out, so they come first.
    if (!is_of_lists(syntax, place)) {
      const bool left = as_bool(evaluate(*syntax.operands[0], place).scalar);
      if (!context.is_typing && left == (syntax.op == Operator::kOr)) return flat_value(left);
      return flat_value(as_bool(evaluate(*syntax.operands[1], place).scalar));
    }
  }
  const std::vector<Value> values = operands(syntax, place);
  const bool on_lists = values[0].is_list() || values[1].is_list();
  return for_each_element(context, values, [&](NaiveContext& used, const std::vector<Scalar>& scalars) {
    return testing::binary(used, syntax.op, scalars[0], scalars[1], on_lists);
  });
}

bool NaiveEvaluator::is_of_lists(const Syntax& syntax, const Place& place) {
  if (const auto known = are_of_lists_.find(&syntax); known != are_of_lists_.end() && !place.call)
    return known->second;
  NaiveContext typing;
  typing.is_typing = true;
  const Place typing_place{place.entry, typing, place.call};
  const bool on_lists = evaluate(*syntax.operands[0], typing_place).is_list() ||
                        evaluate(*syntax.operands[1], typing_place).is_list();
  if (!place.call) are_of_lists_[&syntax] = on_lists;
  return on_lists;
}

Type NaiveEvaluator::type_of_choice(const Syntax& syntax, const Place& place) {
  if (const auto known = choice_types_.find(&syntax); known != choice_types_.end() && !place.call)
    return known->second;
  NaiveContext typing;
  typing.is_typing = true;
  const Place typing_place{place.entry, typing, place.call};
  const Type first = evaluate(*syntax.operands[1], typing_place).type;
  const Type second = evaluate(*syntax.operands[2], typing_place).type;
  if (first.depth != second.depth) throw NaiveRefusal("choices of different depth");
  const Type type{first.scalar == second.scalar ? first.scalar : common_type_of(first.scalar, second.scalar),
                  first.depth};
  if (!place.call) choice_types_[&syntax] = type;
  return type;
}

Value NaiveEvaluator::conditional(const Syntax& syntax, const Place& place) {
  const Type type = type_of_choice(syntax, place);
  const Value condition = evaluate(*syntax.operands[0], place);
  if (condition.is_list()) throw NaiveRefusal("a list as a condition");
  const bool is_first = as_bool(condition.scalar);
  if (place.context.is_typing) return default_value(type);
  return converted(place.context, evaluate(*syntax.operands[is_first ? 1 : 2], place), type.scalar);
}

Value NaiveEvaluator::index(const Syntax& syntax, const Place& place) {
  const std::vector<Value> values = operands(syntax, place);
  const Value &list = values[0], &chosen = values[1];
  if (!list.is_list() || !is_integer(chosen.type.scalar) || chosen.type.depth > list.type.depth)
    throw NaiveRefusal("not a list and an index");
  return chosen.is_list() ? masked(place.context, list, chosen) : element(place.context, list, chosen.scalar);
}

Value NaiveEvaluator::call(const Syntax& syntax, const Place& place) {
  if (syntax.name == "AnyOf" || syntax.name == "AllOf") return pattern(syntax, place);
  if (const auto cast = casts().find(syntax.name); cast != casts().end())
    return converted(place.context, operands(syntax, place).at(0), cast->second);
  if (const auto user = functions_.find(syntax.name); user != functions_.end())
    return user_call(user->second, syntax, place);
  const NaiveFunction* function = find_naive_function(syntax.name);
  if (!function) throw NaiveRefusal("unknown function " + syntax.name);
  return call_function(*function, place.context, operands(syntax, place));
}

Value NaiveEvaluator::user_call(const UserFunction& function, const Syntax& syntax, const Place& place) {
  if (function.parameters.size() != syntax.operands.size()) throw NaiveRefusal("other number of arguments");
  // What a body does not name must make sense all the same.
  if (place.context.is_typing) static_cast<void>(operands(syntax, place));
  Call made;
  for (std::size_t i = 0; i < syntax.operands.size(); ++i)
    made.arguments[function.parameters[i]] = {syntax.operands[i].get(), place.call};
  return evaluate(*function.body, {place.entry, place.context, &made});
}

Value NaiveEvaluator::pattern(const Syntax& syntax, const Place& place) {
  bool any = false, all = true;
  for (const SyntaxPointer& operand : syntax.operands) {
    for (const std::string& column : place.entry.names()) {
      if (!matches_pattern(with_underscores(column), with_underscores(operand->string))) continue;
      const bool value = as_bool(place.entry.find(column)->scalar);
      any = any || value;
      all = all && value;
    }
  }
  return flat_value(syntax.name == "AnyOf" ? any : all);
}

}  // namespace skimline::testing
