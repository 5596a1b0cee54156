// SPDX-License-Identifier: BSD-3-Clause
// Lambdas in Map, Filter, Sort and the like. Their bodies are bound once, with lists in place of the
// elements: each operation is that of elements, on all of a list.
#include "expression/binding.h"
#include "expression/casts.h"
#include "expression/conversions.h"
#include "expression/function_names.h"
#include "expression/list_elements.h"
#include "expression/misspellings.h"

#include <algorithm>
#include <utility>

namespace skimline {
namespace {

bool is_sort(std::string_view name) {
  constexpr std::string_view kSorts[] = {"Sort", "StableSort", "Argsort", "StableArgsort"};
  return std::find(std::begin(kSorts), std::end(kSorts), name) != std::end(kSorts);
}

// Whether two expressions differ in nothing but the name of the element that they are of.
bool are_same(const Syntax& a, const std::string& of_a, const Syntax& b, const std::string& of_b) {
  const bool has_same_name =
      a.name == b.name || (a.kind == SyntaxKind::kName && a.name == of_a && b.name == of_b);
  if (a.kind != b.kind || a.op != b.op || a.string != b.string || !has_same_name ||
      a.is_quoted != b.is_quoted || a.operands.size() != b.operands.size() || !(a.literal == b.literal))
    return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (!are_same(*a.operands[i], of_a, *b.operands[i], of_b)) return false;
  return true;
}

bool has_variables(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::kBlock ||
         std::any_of(syntax.operands.begin(), syntax.operands.end(),
                     [](const SyntaxPointer& operand) { return has_variables(*operand); });
}

// By what a comparison of two elements sorts.
struct SortOrder {
  const Syntax* key = nullptr;  // of the first parameter
  bool is_descending = false;
};

// `f(a) < f(b)` and its likes; no key for other comparisons.
SortOrder order_of(const Syntax& lambda) {
  const Syntax& body = *lambda.operands[0];
  const std::string &a = lambda.declared[0].name, &b = lambda.declared[1].name;
  if (body.kind != SyntaxKind::kBinary || (body.op != Operator::kLess && body.op != Operator::kGreater))
    return {};
  const Syntax *left = body.operands[0].get(), *right = body.operands[1].get();
  bool is_descending = body.op == Operator::kGreater;
  if (names(*left, b)) {
    std::swap(left, right);
    is_descending = !is_descending;
  }
  if (!names(*left, a) || names(*left, b) || names(*right, a) || !are_same(*left, a, *right, b)) return {};
  return {left, is_descending};
}

std::string number_of_parameters(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " parameter" : " parameters");
}

}  // namespace

// For what mentions no element.
Binder Binder::outside() const {
  Binder outer(text_, lambda_->outer(), *this);
  outer.on_elements_ = false;
  return outer;
}

NodeId Binder::whole(const Syntax& syntax) {
  const NodeId node = outside().bind(syntax);
  if (type(node).is_jagged())
    fail(syntax.range,
         "a lambda takes no whole list beside its elements: write the expression of lists itself, in which "
         "ForEach(x, list) is the list for each element of x");
  return graph_[node].can_fail ? where_elements_are(node, syntax) : node;
}

// As in C++, a lambda is not called for an entry without elements, in which nothing of it can fail.
NodeId Binder::where_elements_are(NodeId node, const Syntax& syntax) {
  const std::size_t num_known = graph_.size();
  const NodeId size = outside().call_function("size", {lambda_->list()}, syntax);
  if (size >= num_known) graph_.name(size, "size(" + graph_[lambda_->list()].text + ")");
  const ScalarType scalar = type(node).scalar;
  const Constant none =
      scalar == ScalarType::kString ? Constant::of(graph_.intern("")) : Constant{scalar, {}};
  return add(NodeKind::kConditional, type(node),
             {convert(size, ScalarType::kBool, graph_), node, add_constant(graph_, none, text_of(syntax))},
             syntax);
}

// `list[i]` with an element as the index.
NodeId Binder::element_of_whole(const Syntax& syntax) {
  if (!lambda_ || lambda_->mentions(*syntax.operands[0]))
    fail(syntax.operands[0]->range, "an element of a list has no elements");
  const NodeId index = bind(*syntax.operands[1]);
  Binder outer = outside();
  return outer.call_function("Take", {outer.bind(*syntax.operands[0]), index}, syntax);
}

NodeId Binder::call_with_lambda(const Syntax& syntax) {
  const Syntax& lambda = *syntax.operands.back();
  const std::size_t num_lists = syntax.operands.size() - 1;
  if (on_elements_) fail(lambda.range, "a lambda stands in no other one");
  const bool is_map = syntax.name == "Map";
  if (!is_map && syntax.name != "Filter" && !is_sort(syntax.name))
    fail(lambda.range, syntax.name + " takes no lambda, as Map, Filter, Sort and Argsort do" +
                           (is_built_in_function(syntax.name) ? "" : meant_function(syntax.name, {})));
  if (num_lists == 0 || (!is_map && num_lists > 1))
    fail(syntax.range, syntax.name + (is_map ? "(lists, lambda)" : "(list, lambda)") + " takes " +
                           (is_map ? "lists" : "one list") + " in front of the lambda");
  const std::size_t num_parameters = is_sort(syntax.name) ? 2 : num_lists;
  if (lambda.declared.size() != num_parameters)
    fail(lambda.range, "the lambda of " + syntax.name + " takes " + number_of_parameters(num_parameters) +
                           ", not " + std::to_string(lambda.declared.size()));
  std::vector<NodeId> lists;
  for (std::size_t i = 0; i < num_lists; ++i) {
    lists.push_back(bind(*syntax.operands[i]));
    if (type(lists.back()).depth != 1)
      fail(syntax.operands[i]->range,
           syntax.name + " with a lambda takes lists of single values, not " + type_name(lists.back()));
  }
  if (is_map) return mapped(syntax, lists);
  return syntax.name == "Filter" ? filtered(syntax, lists[0]) : sorted(syntax, lists[0]);
}

// The list of the values of a lambda.
NodeId Binder::bind_lambda(const Syntax& lambda, const std::vector<NodeId>& lists) {
  NodeId node = bind_elements(*lambda.operands[0], lambda, lists);
  if (!lambda.name.empty()) {
    if (!is_number(type(node).scalar)) fail(lambda.range, takes_other(lambda.name, type(node)));
    node = convert(node, *cast_target(lambda.name), graph_);
  }
  return type(node).is_jagged() ? node : broadcast(node, lists[0], 1, graph_);
}

NodeId Binder::bind_elements(const Syntax& body, const Syntax& lambda, const std::vector<NodeId>& lists) {
  LambdaNames elements(lists[0], names_);
  for (std::size_t i = 0; i < lambda.declared.size(); ++i) {
    const Declaration& parameter = lambda.declared[i];
    NodeId list = lists[std::min(i, lists.size() - 1)];
    if (const auto scalar = cast_target(parameter.type)) {
      if (!is_number(type(list).scalar)) fail(lambda.range, takes_other(parameter.type, type(list)));
      list = convert(list, *scalar, graph_);
    }
    elements.add(parameter, list);
  }
  Binder binder(text_, elements, *this);
  binder.lambda_ = &elements;
  binder.on_elements_ = true;
  return binder.bind(body);
}

// What the lambda does not mention is in no operation in which its size would be compared; nor is that of
// which a variable is made that may not be used.
NodeId Binder::mapped(const Syntax& syntax, const std::vector<NodeId>& lists) {
  const Syntax& lambda = *syntax.operands.back();
  const NodeId values = bind_lambda(lambda, lists);
  std::vector<NodeId> operands{values};
  std::vector<ScalarType> others;
  const bool may_be_unused = has_variables(*lambda.operands[0]);
  for (std::size_t i = 0; i < lists.size() && lists.size() > 1; ++i) {
    if (!may_be_unused && names(*lambda.operands[0], lambda.declared[i].name)) continue;
    operands.push_back(lists[i]);
    others.push_back(type(lists[i]).scalar);
  }
  if (others.empty()) return values;
  Operation operation = sized_operation(type(values), others);
  operation.name = "Map";
  return apply(operation, std::move(operands), syntax);
}

NodeId Binder::filtered(const Syntax& syntax, NodeId list) {
  const NodeId mask = bind_lambda(*syntax.operands[1], {list});
  if (!is_number(type(mask).scalar))
    fail(syntax.operands[1]->range, "the lambda of Filter must give a bool, not " + type_name(mask));
  return index(syntax, list, convert(mask, ScalarType::kBool, graph_));
}

// Equal elements keep their order, also where the larger ones come first.
NodeId Binder::sorted(const Syntax& syntax, NodeId list) {
  const Syntax& lambda = *syntax.operands[1];
  const SortOrder order = order_of(lambda);
  if (!order.key)
    fail(lambda.range, "the lambda of " + syntax.name +
                           " must compare the same of both elements, f(a) < f(b) or f(a) > f(b), as in "
                           "[](float a, float b) { return abs(a) > abs(b); }");
  NodeId key = bind_elements(*order.key, lambda, {list});
  const bool is_reversed = order.is_descending && !is_floating(type(key).scalar);
  if (order.is_descending && !is_reversed)
    key = apply(*unary_operation(Operator::kMinus, type(key).scalar, true), {key}, syntax);
  const auto reversed = [&](NodeId node) { return call_function("Reverse", {node}, syntax); };
  NodeId indexes = call_function("StableArgsort", {is_reversed ? reversed(key) : key}, syntax);
  if (is_reversed)
    indexes = call_function("Take", {reversed(call_function("Enumerate", {list}, syntax)), reversed(indexes)},
                            syntax);
  if (syntax.name.ends_with("Argsort")) return indexes;
  return call_function("Take", {list, indexes}, syntax);
}

}  // namespace skimline
