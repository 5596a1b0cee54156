// SPDX-License-Identifier: BSD-3-Clause
#include "expression/binder.h"

#include "expression/binding.h"
#include "expression/casts.h"
#include "expression/combinations.h"
#include "expression/constants.h"
#include "expression/conversions.h"
#include "expression/function_names.h"
#include "expression/hints.h"
#include "expression/list_elements.h"
#include "expression/misspellings.h"
#include "expression/object_syntax.h"
#include "expression/unsigned_wrapping.h"
#include "expression/warnings.h"

#include "skimline/framework/column_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace skimline {
namespace {

// Planning of what is evaluated for some entries only is recursive, too.
constexpr std::uint32_t kMaxHeight = 3000;
// Functions that call others several times can ask for more nodes than fit into memory.
constexpr std::size_t kMaxNodes = std::size_t{1} << 18;

std::string named(const Syntax& choice) { return choice.kind == SyntaxKind::kIf ? "\"if\"" : "\"?\""; }

}  // namespace

NodeId Binder::bind_whole(const Syntax& syntax) {
  const NodeId node = bind(syntax);
  for (const auto& each : *inverted_) warn(each.second, warning_of_inverted_condition());
  return node;
}

NodeId Binder::bind(const Syntax& syntax) {
  if (level_ == kMaxLevels) fail(syntax.range, "expression is nested too deeply");
  ++level_;
  const NodeId node = bind_kind(syntax);
  --level_;
  check_bounds(node, syntax);
  return node;
}

NodeId Binder::bind_kind(const Syntax& syntax) {
  if (lambda_ && !lambda_->mentions(syntax)) return whole(syntax);
  switch (syntax.kind) {
    case SyntaxKind::kLiteral:
      return add_constant(graph_, syntax.literal, text_of(syntax));
    case SyntaxKind::kString:
      return add_constant(graph_, Constant::of(graph_.intern(syntax.string)), text_of(syntax));
    case SyntaxKind::kName:
      return name(syntax);
    case SyntaxKind::kUnary:
      return unary(syntax);
    case SyntaxKind::kBinary:
      return binary(syntax);
    case SyntaxKind::kConditional:
      return conditional(syntax);
    case SyntaxKind::kCall:
      return call(syntax);
    case SyntaxKind::kIndex:
      return index(syntax);
    case SyntaxKind::kMember:
      return member_path(*syntax.operands[0], syntax.name, syntax.range);
    case SyntaxKind::kLambda:
      fail(syntax.range, "a lambda stands behind the lists of Map, Filter, Sort and Argsort only");
    case SyntaxKind::kBlock:
      return returned({&syntax, 0, nullptr, nullptr, nullptr});
    case SyntaxKind::kReturn:
    case SyntaxKind::kVariable:
    case SyntaxKind::kAssignment:
    case SyntaxKind::kIf:
      break;
  }
  throw InternalError("unknown kind of syntax");
}

void Binder::check_bounds(NodeId node, const Syntax& syntax) const {
  if (graph_[node].height > kMaxHeight)
    fail(syntax.range, "more than " + std::to_string(kMaxHeight) + " conditions lie in one another");
  if (graph_.size() > kMaxNodes)
    fail(syntax.range,
         "all expressions together have more than " + std::to_string(kMaxNodes) + " operations");
}

void Binder::warn(TextRange range, const std::optional<std::string>& message) {
  if (message) names_.warn({std::string(text_), range.offset, range.length, *message});
}

NodeId Binder::name(const Syntax& syntax) {
  if (const std::optional<NodeId> found = names_.find(syntax.name)) {
    if (*found != kNoNode) return *found;
    fail(syntax.name_range, "\"" + syntax.name + "\" has no value on each way that leads here");
  }
  if (const auto constant = named_constant(syntax.name); constant && !syntax.is_quoted)
    return add_constant(graph_, *constant, text_of(syntax));
  if (!syntax.is_quoted && called_constant(syntax.name))
    fail(syntax.name_range, "constants of ROOT are called: write " + syntax.name + "()");
  if (!syntax.is_quoted && (is_built_in_function(syntax.name) || names_.functions().contains(syntax.name)))
    fail(syntax.name_range, "\"" + syntax.name + "\" is a function and needs arguments in parentheses");
  if (const auto member = names_.counted_member(syntax.name))
    fail(syntax.name_range, "\"" + syntax.name + "\" is a collection: name a member, as in " + *member +
                                hint_at_momenta(syntax.name, names_));
  std::string meant = meant_value(syntax.name);
  if (meant.empty()) meant = hint_at_column(syntax.name, names_);
  fail(syntax.name_range,
       "unknown column \"" + syntax.name + "\"" +
           (meant.empty() ? did_you_mean_column(syntax.name, names_.candidates_for(syntax.name)) : meant));
}

NodeId Binder::unary(const Syntax& syntax) {
  const NodeId operand = bind(*syntax.operands[0]);
  auto operation = unary_operation(syntax.op, type(operand).scalar, is_list(operand));
  if (!operation)
    fail(syntax.name_range,
         "operator " + std::string(spelling(syntax.op)) + " does not take " + type_name(operand));
  const NodeId result = apply(*operation, {operand}, syntax);
  if (syntax.op == Operator::kBitNot && is_zero_or_one(operand, graph_.nodes()))
    inverted_->emplace_back(result, syntax.name_range);
  return result;
}

// Of the bits of an operand of `&`, a condition beside it leaves the lowest.
void Binder::meet_inverted(NodeId operand, NodeId other) {
  const auto is_operand = [&](const auto& each) { return each.first == operand; };
  const auto last = std::find_if(inverted_->rbegin(), inverted_->rend(), is_operand);
  if (last != inverted_->rend() && is_zero_or_one(other, graph_.nodes()))
    inverted_->erase(std::next(last).base());
}

// With a condition that is known to decide whether it is evaluated.
NodeId Binder::bind_behind(NodeId condition, const Syntax& syntax) {
  conditions_.push_back(condition);
  const NodeId node = bind(syntax);
  conditions_.pop_back();
  return node;
}

// Where a condition compares what the difference is of, the user has thought of it. A cast says so too.
void Binder::warn_of_difference(NodeId value, const Syntax& syntax, TextRange range) {
  const NodeId difference = graph_[value].difference;
  if (difference == kNoNode || (syntax.kind == SyntaxKind::kCall && cast_target(syntax.name))) return;
  const auto sees = [&](NodeId condition) { return sees_to(condition, difference, graph_.nodes()); };
  if (std::any_of(conditions_.begin(), conditions_.end(), sees)) return;
  const auto known = names_.conditions();
  if (!known || std::any_of(known->begin(), known->end(), sees)) return;
  warn(range, warning_of_difference(difference, graph_.nodes()));
}

void Binder::warn_of_choices(NodeId condition, const std::vector<NodeId>& choices, ScalarType scalar,
                             const Syntax& syntax) {
  conditions_.push_back(condition);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Syntax& choice = *syntax.operands[std::min(i + 1, syntax.operands.size() - 1)];
    warn(choice.range, warning_of_choice("", graph_[choices[i]], scalar));
    if (shows_wrapping(type(choices[i]).scalar, scalar)) warn_of_difference(choices[i], choice, choice.range);
  }
  conditions_.pop_back();
}

// Chains like a + b + c lean to the left and can be long: they need no recursion.
NodeId Binder::binary(const Syntax& syntax) {
  const bool is_truncated_on_purpose = std::exchange(is_truncated_on_purpose_, false);
  std::vector<const Syntax*> chain;
  const Syntax* first = &syntax;
  for (; first->kind == SyntaxKind::kBinary; first = first->operands[0].get()) chain.push_back(first);
  NodeId left = bind(*first);
  for (; !chain.empty(); chain.pop_back()) {
    const Syntax& operation = *chain.back();
    const bool is_logic = operation.op == Operator::kAnd || operation.op == Operator::kOr;
    const NodeId right = is_logic ? bind_behind(left, *operation.operands[1]) : bind(*operation.operands[1]);
    left = binary(operation, left, right, is_truncated_on_purpose && chain.size() == 1);
    check_bounds(left, operation);
  }
  return left;
}

// A character beside a number is one, as in C++.
NodeId Binder::as_number(const Syntax& syntax, NodeId node, NodeId beside) {
  if (!syntax.is_character || !is_number(type(beside).scalar)) return node;
  return add_constant(graph_, Constant::of(static_cast<std::int8_t>(syntax.string[0])), text_of(syntax));
}

NodeId Binder::binary(const Syntax& syntax, NodeId left, NodeId right, bool is_truncated_on_purpose) {
  left = as_number(*syntax.operands[0], left, right);
  right = as_number(*syntax.operands[1], right, left);
  const bool on_lists = is_list(left) || is_list(right);
  auto operation = binary_operation(syntax.op, type(left).scalar, type(right).scalar, on_lists);
  if (!operation)
    fail(syntax.name_range, "operator " + std::string(spelling(syntax.op)) + " does not take " +
                                type_name(left) + " and " + type_name(right) +
                                hint_at_operator(syntax.op, type(left).scalar, type(right).scalar));
  if (!is_truncated_on_purpose)
    warn(syntax.name_range, warning_of_division(syntax.op, graph_[left], graph_[right]));
  warn(syntax.name_range, warning_of_negation(syntax, text_, left, right, graph_.nodes()));
  if (const auto chain = warning_of_chain(syntax, text_, graph_[left], graph_[right]))
    warn(syntax.name_range, chain);
  else
    warn(syntax.name_range, warning_of_comparison(syntax.op, graph_[left], graph_[right]));
  warn(syntax.name_range, warning_of_bits(syntax, text_, graph_[left], graph_[right]));
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const NodeId operand = side == 0 ? left : right;
    if (syntax.op == Operator::kBitAnd) meet_inverted(operand, side == 0 ? right : left);
    if (shows_size(syntax.op, type(operand).scalar, operation->operand_scalars[side]))
      warn_of_difference(operand, *syntax.operands[side], syntax.name_range);
  }
  const bool is_logic = syntax.op == Operator::kAnd || syntax.op == Operator::kOr;
  if (is_logic && !on_lists) return short_circuit(syntax, left, right);
  if (operation->can_fail && is_safe_divisor(graph_, right))
    operation = unchecked_division(syntax.op, operation->result);
  return apply(*operation, {left, right}, syntax);
}

// The right side is evaluated apart only where that matters: if it may fail, or reads lists.
NodeId Binder::short_circuit(const Syntax& syntax, NodeId left, NodeId right) {
  left = convert(left, ScalarType::kBool, graph_);
  right = convert(right, ScalarType::kBool, graph_);
  if (is_constant(graph_, left)) {
    const bool decides = (graph_[left].constant == Constant::of(true)) == (syntax.op == Operator::kOr);
    return decides ? left : right;
  }
  if (const Node& node = graph_[right]; on_elements_ || (!node.can_fail && !node.is_costly)) {
    const auto both = binary_operation(syntax.op, ScalarType::kBool, ScalarType::kBool, false);
    return apply(*both, {left, right}, syntax);
  }
  return add(syntax.op == Operator::kAnd ? NodeKind::kAnd : NodeKind::kOr, flat(ScalarType::kBool),
             {left, right}, syntax);
}

NodeId Binder::condition_of(const Syntax& syntax) {
  const NodeId condition = bind(*syntax.operands[0]);
  if (is_list(condition) || !is_number(type(condition).scalar))
    fail(syntax.operands[0]->range, "the condition of " + named(syntax) +
                                        " must be one value per entry, not a " + type_name(condition) +
                                        (type(condition).is_jagged() ? " (use Any, All or Where)" : ""));
  return condition;
}

NodeId Binder::conditional(const Syntax& syntax) {
  const NodeId condition = condition_of(syntax);
  const NodeId first = bind_behind(condition, *syntax.operands[1]);
  return choice(syntax, condition, first, bind_behind(condition, *syntax.operands[2]));
}

NodeId Binder::choice(const Syntax& syntax, NodeId condition, NodeId first, NodeId second) {
  const ScalarType a = type(first).scalar, b = type(second).scalar;
  const bool have_common_type = a == b || (is_number(a) && is_number(b));
  if ((type(first).depth != type(second).depth && !on_elements_) || !have_common_type)
    fail(syntax.name_range, "the choices of " + named(syntax) + " have different types: " + type_name(first) +
                                " and " + type_name(second));
  const ScalarType scalar = choice_type(a, b);
  warn_of_choices(condition, {first, second}, scalar, syntax);
  first = convert(first, scalar, graph_);
  second = convert(second, scalar, graph_);
  const NodeId test = convert(condition, ScalarType::kBool, graph_);
  if (is_constant(graph_, test)) return graph_[test].constant == Constant::of(true) ? first : second;
  const auto is_cheap = [&](NodeId id) { return !graph_[id].can_fail && !graph_[id].is_costly; };
  if (on_elements_ || (is_cheap(first) && is_cheap(second)))
    return apply(selection_operation(scalar), {test, first, second}, syntax);
  return add(NodeKind::kConditional, {scalar, type(first).depth}, {test, first, second}, syntax);
}

// The member of chosen objects is chosen of the members of all.
NodeId Binder::member_path(const Syntax& objects, const std::string& path, TextRange range) {
  if (level_ == kMaxLevels) fail(objects.range, "expression is nested too deeply");
  if (objects.kind == SyntaxKind::kName) return member_of_name(objects, path, range);
  if (objects.kind == SyntaxKind::kMember)
    return member_path(*objects.operands[0], objects.name + "." + path, range);
  if (objects.kind != SyntaxKind::kIndex && !is_choice(objects))
    fail(range, "\"" + text_of(objects) + "\" is no collection, of which \"" + path + "\" could be a member" +
                    hint_at_member(objects, path));
  ++level_;
  std::vector<NodeId> nodes{member_path(*objects.operands[0], path, range)};
  for (std::size_t i = 1; i < objects.operands.size(); ++i) nodes.push_back(bind(*objects.operands[i]));
  --level_;
  if (objects.kind == SyntaxKind::kIndex) return index(objects, nodes[0], nodes[1]);
  return call_function(*find_function(objects.name), nodes, objects);
}

NodeId Binder::member_of_name(const Syntax& collection, const std::string& path, TextRange range) {
  const std::string name = collection.name + "." + path;
  if (const std::optional<NodeId> found = names_.find(name)) return *found;
  const std::string hint = hint_at_column(name, names_);
  fail(range, "unknown column \"" + name + "\"" +
                  (hint.empty() ? did_you_mean_column(name, names_.candidates_for(name)) : hint));
}

NodeId Binder::index(const Syntax& syntax) {
  if (const std::string hint = hint_at_index(syntax); !hint.empty()) fail(syntax.range, hint);
  if (on_elements_) return element_of_whole(syntax);
  const NodeId list = bind(*syntax.operands[0]);
  return index(syntax, list, bind(*syntax.operands[1]));
}

NodeId Binder::index(const Syntax& syntax, NodeId list, NodeId index) {
  if (!type(list).is_jagged())
    fail(syntax.operands[0]->range,
         "only lists can be indexed, this is one " + type_name(list) + " per entry");
  if (!is_integer(type(index).scalar))
    fail(syntax.operands[1]->range,
         "an index must be an integer and a mask bool or integer, not " + type_name(index));
  if (is_constant(graph_, index) && !graph_[index].is_nonnegative)
    fail(syntax.operands[1]->range, "elements are counted from 0: for the last one write back(x)");
  if (type(index).depth > type(list).depth)
    fail(syntax.operands[1]->range, "a " + type_name(list) + " cannot be masked by a " + type_name(index));
  warn(syntax.operands[1]->range, warning_of_index(index, graph_.nodes()));
  if (const auto operation = combinations_element(list, index, graph_)) {
    std::vector<NodeId> operands = graph_[list].inputs;
    operands.push_back(index);
    return apply(*operation, std::move(operands), syntax);
  }
  if (const int levels = type(index).depth - 1; levels > 0)
    return apply_to_inner_lists(mask_operation({type(list).scalar, type(list).depth - levels}), levels,
                                {list, index}, syntax);
  Operation operation = type(index).is_jagged() ? mask_operation(type(list)) : element_operation(type(list));
  operation.name = kElement;
  return apply(operation, {list, index}, syntax);
}

// Converts the operands, gives them one shape where the operation is element-wise, and adds the node.
NodeId Binder::apply(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax) {
  operands = converted(std::move(operands), operation.operand_scalars, graph_);
  return operation.loop ? apply_loop(operation, std::move(operands), syntax)
                        : add_simplified(kernel_node(operation, std::move(operands), syntax));
}

NodeId Binder::apply_to_inner_lists(const Operation& operation, int levels, std::vector<NodeId> operands,
                                    const Syntax& syntax) {
  operands = converted(std::move(operands), operation.operand_scalars, graph_);
  const NodeId like = deepest_of(operands, graph_);
  const auto is_list = [&](NodeId node) { return type(node).is_jagged(); };
  const bool may_differ = std::count_if(operands.begin(), operands.end(), is_list) > 1;
  // What is less deep is repeated for every inner list.
  for (NodeId& operand : operands)
    if (type(operand).depth < levels && !is_constant(graph_, operand))
      operand = broadcast(operand, like, levels, graph_);
  Node node = kernel_node(operation, std::move(operands), syntax);
  node.outer_levels = levels;
  node.type.depth += levels;
  node.can_fail |= may_differ;
  if (node.type.depth > kMaxDepth) fail(syntax.range, "lists cannot be nested more than three deep");
  return graph_.add(std::move(node));
}

Node Binder::kernel_node(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax) {
  Node node =
      make(NodeKind::kKernel, {operation.result, operation.result_depth}, std::move(operands), syntax);
  node.name = operation.name;
  node.kernel = operation.kernel;
  node.can_fail = operation.can_fail;
  node.list_sizes = operation.list_sizes;
  node.expands = operation.expands;
  node.state = operation.state;
  node.external = operation.external;
  return node;
}

// Repeats values for the elements of the deepest operand, but for constants; returns its depth.
int Binder::make_one_shape(std::vector<NodeId>& operands) {
  if (operands.empty()) return 0;
  const NodeId like = deepest_of(operands, graph_);
  const int depth = type(like).depth;
  for (NodeId& operand : operands)
    if (type(operand).depth < depth && !is_constant(graph_, operand))
      operand = broadcast(operand, like, depth, graph_);
  return depth;
}

NodeId Binder::apply_loop(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax) {
  // Two lists may turn out to differ in size.
  const bool may_differ =
      std::count_if(operands.begin(), operands.end(), [&](NodeId id) { return type(id).depth > 0; }) > 1;
  const int depth = make_one_shape(operands);
  Node node = make(NodeKind::kLoop, {operation.result, depth}, std::move(operands), syntax);
  node.name = operation.name;
  node.loop = operation.loop;
  node.loop_can_fail = operation.can_fail;
  node.can_fail = operation.can_fail || may_differ;
  const auto is_fixed = [&](NodeId id) { return is_constant(graph_, id); };
  if (!std::all_of(node.inputs.begin(), node.inputs.end(), is_fixed)) return add_simplified(std::move(node));
  try {
    return fold_constants(graph_, node);
  } catch (const EntryFault& fault) {
    fail(syntax.range, fault.problem);
  }
}

Node Binder::make(NodeKind kind, Type result, std::vector<NodeId> inputs, const Syntax& syntax) const {
  Node node;
  node.kind = kind;
  node.type = result;
  node.inputs = std::move(inputs);
  node.text = text_of(syntax);
  return node;
}

NodeId Binder::add(NodeKind kind, Type result, std::vector<NodeId> inputs, const Syntax& syntax) {
  return graph_.add(make(kind, result, std::move(inputs), syntax));
}

NodeId bind_expression(std::string_view expression, NameTable& names, Graph& graph) {
  return bind_parsed(*parse(expression), expression, names, graph);
}

NodeId bind_parsed(const Syntax& syntax, std::string_view expression, NameTable& names, Graph& graph) {
  return Binder(expression, names, graph).bind_whole(syntax);
}

}  // namespace skimline
