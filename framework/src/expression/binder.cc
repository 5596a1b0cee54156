// SPDX-License-Identifier: BSD-3-Clause
#include "expression/binder.h"

#include "expression/function_registry.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline {
namespace {

bool is_constant(const Graph& graph, NodeId id) { return graph[id].kind == NodeKind::kConstant; }

NodeId add_constant(Graph& graph, Constant constant, std::string text) {
  Node node;
  node.kind = NodeKind::kConstant;
  node.type = flat(constant.scalar);
  node.constant = constant;
  node.text = std::move(text);
  return graph.add(std::move(node));
}

// Runs the loop of an operation on constants now instead of once per batch.
NodeId fold_constants(Graph& graph, const Node& node) {
  std::vector<Operand> operands;
  for (const NodeId input : node.inputs) operands.push_back({graph[input].constant.bytes.data(), true});
  Constant result{node.type.scalar, {}};
  node.loop(operands.data(), result.bytes.data(), 1);
  return add_constant(graph, result, node.text);
}

class Binder {
 public:
  Binder(std::string_view text, NameTable& names, Graph& graph) : text_(text), names_(names), graph_(graph) {}

  NodeId bind(const Syntax& syntax) {
    switch (syntax.kind) {
      case SyntaxKind::kLiteral:
        return add_constant(graph_, syntax.literal, text_of(syntax));
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
    }
    throw InternalError("unknown kind of syntax");
  }

 private:
  std::string text_of(const Syntax& syntax) const {
    return std::string(text_.substr(syntax.range.offset, syntax.range.length));
  }
  Type type(NodeId id) const { return graph_[id].type; }
  std::string type_name(NodeId id) const { return name_of(type(id)); }

  [[noreturn]] void fail(TextRange range, const std::string& problem) const {
    throw ExpressionError(text_, range.offset, range.length, problem);
  }

  NodeId name(const Syntax& syntax) {
    if (const std::optional<NodeId> found = names_.find(syntax.name)) return *found;
    if (find_function(syntax.name))
      fail(syntax.name_range, "\"" + syntax.name + "\" is a function and needs arguments in parentheses");
    fail(syntax.name_range,
         "unknown column \"" + syntax.name + "\"" + did_you_mean(syntax.name, names_.candidates()));
  }

  NodeId unary(const Syntax& syntax) {
    const NodeId operand = bind(*syntax.operands[0]);
    const auto operation = unary_operation(syntax.op, type(operand).scalar, type(operand).is_jagged());
    if (!operation)
      fail(syntax.name_range,
           "operator " + std::string(spelling(syntax.op)) + " does not take " + type_name(operand));
    return apply(*operation, {operand}, syntax);
  }

  NodeId binary(const Syntax& syntax) {
    const NodeId left = bind(*syntax.operands[0]);
    const NodeId right = bind(*syntax.operands[1]);
    const bool on_lists = type(left).is_jagged() || type(right).is_jagged();
    const bool is_logic = syntax.op == Operator::kAnd || syntax.op == Operator::kOr;
    if (is_logic && !on_lists) return short_circuit(syntax, left, right);
    auto operation = binary_operation(syntax.op, type(left).scalar, type(right).scalar, on_lists);
    if (!operation)
      fail(syntax.name_range, "operator " + std::string(spelling(syntax.op)) + " does not take " +
                                  type_name(left) + " and " + type_name(right));
    if (operation->can_fail && is_safe_divisor(right))
      operation = unchecked_division(syntax.op, operation->result);
    return apply(*operation, {left, right}, syntax);
  }

  bool is_safe_divisor(NodeId id) const {
    if (!is_constant(graph_, id)) return false;
    const Constant& constant = graph_[id].constant;
    return visit_scalar(constant.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      T value;
      std::memcpy(&value, constant.bytes.data(), sizeof value);
      return value != T(0) && (!std::is_signed_v<T> || value != static_cast<T>(-1));
    });
  }

  // The right side is evaluated apart only where that matters: if it may fail, or reads lists.
  NodeId short_circuit(const Syntax& syntax, NodeId left, NodeId right) {
    left = convert(left, ScalarType::kBool, graph_);
    right = convert(right, ScalarType::kBool, graph_);
    if (is_constant(graph_, left)) {
      const bool decides = (graph_[left].constant == Constant::of(true)) == (syntax.op == Operator::kOr);
      return decides ? left : right;
    }
    const Node& node = graph_[right];
    if (!node.can_fail && !node.is_costly)
      return apply(*binary_operation(syntax.op, ScalarType::kBool, ScalarType::kBool, false), {left, right},
                   syntax);
    return add(syntax.op == Operator::kAnd ? NodeKind::kAnd : NodeKind::kOr, flat(ScalarType::kBool),
               {left, right}, syntax);
  }

  NodeId conditional(const Syntax& syntax) {
    const NodeId condition = bind(*syntax.operands[0]);
    if (type(condition).is_jagged())
      fail(syntax.operands[0]->range,
           "the condition of \"?\" must be one value per entry, not a " + type_name(condition));
    NodeId first = bind(*syntax.operands[1]);
    NodeId second = bind(*syntax.operands[2]);
    if (type(first).depth != type(second).depth)
      fail(syntax.name_range,
           "the choices of \"?\" have different types: " + type_name(first) + " and " + type_name(second));
    const ScalarType a = type(first).scalar, b = type(second).scalar;
    const ScalarType scalar = a == b ? a : common_type(a, b);
    first = convert(first, scalar, graph_);
    second = convert(second, scalar, graph_);
    const NodeId test = convert(condition, ScalarType::kBool, graph_);
    if (is_constant(graph_, test)) return graph_[test].constant == Constant::of(true) ? first : second;
    const auto is_cheap = [&](NodeId id) { return !graph_[id].can_fail && !graph_[id].is_costly; };
    if (is_cheap(first) && is_cheap(second))
      return apply(selection_operation(scalar), {test, first, second}, syntax);
    return add(NodeKind::kConditional, {scalar, type(first).depth}, {test, first, second}, syntax);
  }

  NodeId call(const Syntax& syntax) {
    const Function* function = find_function(syntax.name);
    if (!function)
      fail(syntax.name_range,
           "unknown function \"" + syntax.name + "\"" + did_you_mean(syntax.name, function_names()));
    std::vector<NodeId> arguments;
    std::vector<Type> types;
    for (const SyntaxPointer& operand : syntax.operands) {
      arguments.push_back(bind(*operand));
      types.push_back(type(arguments.back()));
    }
    const auto operation = function->choose(types);
    if (!operation) fail(syntax.range, std::string(function->signature) + " does not take " + list_of(types));
    return apply(*operation, std::move(arguments), syntax);
  }

  static std::string list_of(const std::vector<Type>& types) {
    if (types.empty()) return "no arguments";
    std::string names = "(";
    for (std::size_t i = 0; i < types.size(); ++i) names += (i ? ", " : "") + name_of(types[i]);
    return names + ")";
  }

  NodeId index(const Syntax& syntax) {
    const NodeId list = bind(*syntax.operands[0]);
    const NodeId index = bind(*syntax.operands[1]);
    if (!type(list).is_jagged())
      fail(syntax.operands[0]->range,
           "only lists can be indexed, this is one " + type_name(list) + " per entry");
    if (is_floating(type(index).scalar))
      fail(syntax.operands[1]->range,
           "an index must be an integer and a mask bool or integer, not " + type_name(index));
    const ScalarType scalar = type(list).scalar;
    return apply(type(index).is_jagged() ? mask_operation(scalar) : element_operation(scalar), {list, index},
                 syntax);
  }

  // Converts the operands, gives them one shape where the operation is element-wise, and adds the node.
  NodeId apply(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = convert(operands[i], operation.operand_scalars[i], graph_);
    return operation.loop ? apply_loop(operation, std::move(operands), syntax)
                          : apply_kernel(operation, std::move(operands), syntax);
  }

  NodeId apply_kernel(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax) {
    Node node =
        make(NodeKind::kKernel, {operation.result, operation.result_depth}, std::move(operands), syntax);
    node.kernel = operation.kernel;
    node.can_fail = operation.can_fail;
    return graph_.add(std::move(node));
  }

  NodeId apply_loop(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax) {
    const auto is_list = [&](NodeId id) { return type(id).is_jagged(); };
    const auto like = std::find_if(operands.begin(), operands.end(), is_list);
    const bool on_lists = like != operands.end();
    // Two lists may turn out to differ in size.
    const bool may_differ = std::count_if(operands.begin(), operands.end(), is_list) > 1;
    if (on_lists) {
      const NodeId list = *like;
      for (NodeId& operand : operands)
        if (!is_list(operand) && !is_constant(graph_, operand)) operand = broadcast(operand, list, graph_);
    }
    Node node = make(NodeKind::kLoop, {operation.result, on_lists ? 1 : 0}, std::move(operands), syntax);
    node.loop = operation.loop;
    node.can_fail = operation.can_fail || may_differ;
    const auto is_fixed = [&](NodeId id) { return is_constant(graph_, id); };
    if (!std::all_of(node.inputs.begin(), node.inputs.end(), is_fixed)) return graph_.add(std::move(node));
    try {
      return fold_constants(graph_, node);
    } catch (const EntryFault& fault) {
      fail(syntax.range, fault.problem);
    }
  }

  Node make(NodeKind kind, Type result, std::vector<NodeId> inputs, const Syntax& syntax) const {
    Node node;
    node.kind = kind;
    node.type = result;
    node.inputs = std::move(inputs);
    node.text = text_of(syntax);
    return node;
  }

  NodeId add(NodeKind kind, Type result, std::vector<NodeId> inputs, const Syntax& syntax) {
    return graph_.add(make(kind, result, std::move(inputs), syntax));
  }

  std::string_view text_;
  NameTable& names_;
  Graph& graph_;
};

}  // namespace

NodeId bind_expression(std::string_view expression, NameTable& names, Graph& graph) {
  const SyntaxPointer syntax = parse(expression);
  return Binder(expression, names, graph).bind(*syntax);
}

NodeId convert(NodeId id, ScalarType scalar, Graph& graph) {
  if (graph[id].type.scalar == scalar) return id;
  Node node;
  node.kind = NodeKind::kLoop;
  node.type = {scalar, graph[id].type.depth};
  node.inputs = {id};
  node.loop = conversion_loop(graph[id].type.scalar, scalar);
  node.text = graph[id].text;
  return is_constant(graph, id) ? fold_constants(graph, node) : graph.add(std::move(node));
}

NodeId broadcast(NodeId flat_node, NodeId like, Graph& graph) {
  const Operation operation = broadcast_operation(graph[flat_node].type.scalar);
  Node node;
  node.kind = NodeKind::kKernel;
  node.type = {operation.result, operation.result_depth};
  node.inputs = {flat_node, like};
  node.kernel = operation.kernel;
  node.text = graph[flat_node].text;
  return graph.add(std::move(node));
}

}  // namespace skimline
