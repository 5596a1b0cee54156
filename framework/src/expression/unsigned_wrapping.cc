// SPDX-License-Identifier: BSD-3-Clause
#include "expression/unsigned_wrapping.h"

#include "expression/operators.h"

#include <algorithm>
#include <array>

namespace skimline {
namespace {

// Conditions are searched no further than this.
constexpr std::size_t kMaxSearched = 1000;
// Longer texts are no help in a message.
constexpr std::size_t kMaxText = 40;

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 6> kComparisons{"<", "<=", ">", ">=", "==", "!="};
constexpr std::array<std::string_view, 3> kLogic{"&&", "||", "!"};
// Functions that give values of their first argument, or sums of them.
constexpr std::array<std::string_view, 13> kPassOn{"+",       "*",           "Sum",    "Product", "Take",
                                                   "at",      "[]",          "Drop",   "front",   "back",
                                                   "Reverse", "Concatenate", "Flatten"};

bool is_number_node(const Node& node) { return is_number(node.type.scalar); }
bool is_unsigned(ScalarType scalar) { return is_integer(scalar) && !is_signed_integer(scalar); }

bool is_conversion(const Node& node) {
  return node.kind == NodeKind::kLoop && node.name.empty() && node.inputs.size() == 1;
}

// `?:` without scopes of its own, and Where.
bool is_selection(const Node& node) {
  return node.kind == NodeKind::kConditional || (node.kind == NodeKind::kLoop && node.inputs.size() == 3 &&
                                                 (node.name.empty() || node.name == "Where"));
}

bool is_repeated(const Node& node) {
  return node.kind == NodeKind::kKernel && node.name.empty() && node.inputs.size() == 2;
}

std::uint64_t bits_of(const Constant& constant) {
  return visit_scalar(constant.scalar, [&](auto tag) {
    return static_cast<std::uint64_t>(constant.as<typename decltype(tag)::type>());
  });
}

bool is_negative(const Constant& constant) {
  return visit_scalar(constant.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return constant.as<T>() < T{};
  });
}

// A constant of an unsigned type that was negative before it was converted.
bool was_negative(const Node& node) {
  if (node.kind != NodeKind::kConstant || !is_unsigned(node.type.scalar)) return false;
  const std::uint64_t half = std::uint64_t{1} << (8 * size_of(node.type.scalar) - 1);
  return bits_of(node.constant) >= half;
}

NodeId without_conversions(NodeId id, const Nodes& nodes) {
  while (is_conversion(nodes[id]) || is_repeated(nodes[id])) id = nodes[id].inputs[0];
  return id;
}

bool is_known(NodeId id, const Nodes& nodes) { return nodes[id].kind == NodeKind::kConstant; }

bool is_difference(const Node& node, const Nodes& nodes) {
  if (node.kind != NodeKind::kLoop || !is_unsigned(node.type.scalar) || node.type.scalar == ScalarType::kBool)
    return false;
  const std::vector<NodeId>& inputs = node.inputs;
  if (node.name == "-" && inputs.size() == 1) return true;
  if (inputs.size() != 2) return false;
  const bool adds_negative = was_negative(nodes[inputs[0]]) || was_negative(nodes[inputs[1]]);
  if (node.name == "+" || node.name == "*") return adds_negative;
  const bool takes_nothing = is_known(inputs[1], nodes) && bits_of(nodes[inputs[1]].constant) == 0;
  return node.name == "-" && !adds_negative && !takes_nothing && inputs[0] != inputs[1];
}

// A text that can stand in front of and behind any operator.
std::string as_operand(const std::string& text) {
  return text.find_first_of(" +-*/%<>=&|^?!") == std::string::npos ? text : "(" + text + ")";
}

std::string as_signed(NodeId id, const Nodes& nodes) {
  const Node& node = nodes[without_conversions(id, nodes)];
  if (!is_unsigned(node.type.scalar) || node.kind == NodeKind::kConstant) return as_operand(node.text);
  return (size_of(node.type.scalar) > 4 ? "long(" : "int(") + node.text + ")";
}

std::string suggestion(const Node& node, const Nodes& nodes) {
  for (const NodeId input : node.inputs)
    if (nodes[without_conversions(input, nodes)].text.size() > kMaxText) return "int(a) - int(b)";
  if (node.inputs.size() == 1) return "-" + as_signed(node.inputs[0], nodes);
  return as_signed(node.inputs[0], nodes) + " " + std::string(node.name) + " " +
         as_signed(node.inputs[1], nodes);
}

}  // namespace

bool cannot_be_negative(const Node& node, const Nodes& nodes) {
  if (!is_number_node(node) || !is_integer(node.type.scalar)) return false;
  if (!is_signed_integer(node.type.scalar)) return true;
  if (node.kind == NodeKind::kConstant) return !is_negative(node.constant);
  if (node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr || is_one_of(node.name, kComparisons) ||
      is_one_of(node.name, kLogic))
    return true;
  if (node.inputs.empty() || node.external || node.name == "-" || node.name == "~") return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](NodeId input) {
    return nodes[input].is_nonnegative && nodes[input].difference == kNoNode;
  });
}

NodeId difference_in(const Node& node, NodeId itself, const Nodes& nodes) {
  if (!is_number_node(node) || !is_unsigned(node.type.scalar)) return kNoNode;
  const auto of_input = [&](std::size_t i) { return nodes[node.inputs[i]].difference; };
  if (is_selection(node)) {
    for (const std::size_t choice : {std::size_t{1}, std::size_t{2}})
      if (of_input(choice) != kNoNode && !sees_to(node.inputs[0], of_input(choice), nodes))
        return of_input(choice);
    return kNoNode;
  }
  if (is_conversion(node))
    return shows_wrapping(nodes[node.inputs[0]].type.scalar, node.type.scalar) ? kNoNode : of_input(0);
  const bool is_taken = is_difference(node, nodes);
  if (!is_taken && !is_repeated(node) && !is_one_of(node.name, kPassOn)) return kNoNode;
  const std::size_t num_passed = node.kind == NodeKind::kLoop ? node.inputs.size() : 1;
  for (std::size_t i = 0; i < std::min(num_passed, node.inputs.size()); ++i)
    if (of_input(i) != kNoNode) return of_input(i);
  return is_taken ? itself : kNoNode;
}

bool shows_wrapping(ScalarType from, ScalarType to) {
  return to != from && to != ScalarType::kBool && (is_floating(to) || size_of(to) > size_of(from));
}

bool sees_to(NodeId condition, NodeId difference, const Nodes& nodes) {
  std::vector<NodeId> wanted;
  for (const NodeId input : nodes[difference].inputs)
    if (!is_known(input, nodes)) wanted.push_back(without_conversions(input, nodes));
  std::vector<NodeId> pending{condition};
  for (std::size_t searched = 0; !pending.empty() && searched < kMaxSearched; ++searched) {
    const NodeId id = without_conversions(pending.back(), nodes);
    pending.pop_back();
    const Node& node = nodes[id];
    const bool is_logical = node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr ||
                            (node.kind == NodeKind::kLoop && node.type.scalar == ScalarType::kBool) ||
                            is_one_of(node.name, kComparisons) || is_one_of(node.name, kLogic);
    if (std::find(wanted.begin(), wanted.end(), id) != wanted.end()) return true;
    if (is_logical) pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  return false;
}

std::string warning_of_difference(NodeId difference, const Nodes& nodes) {
  const Node& node = nodes[difference];
  const std::string what = node.text.size() > 2 * kMaxText ? "the difference" : "\"" + node.text + "\"";
  return what + " is of the unsigned type " + std::string(name_of(node.type.scalar)) +
         ": where it would be negative, it is huge: write " + suggestion(node, nodes);
}

}  // namespace skimline
