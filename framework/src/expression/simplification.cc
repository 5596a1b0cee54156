// SPDX-License-Identifier: BSD-3-Clause
#include "expression/simplification.h"

#include "expression/combinations.h"
#include "expression/function_registry.h"
#include "expression/list_elements.h"
#include "expression/subset_values.h"

#include <algorithm>
#include <optional>

namespace skimline {
namespace {

// Nodes that stand in for others, with the inputs of kMemberValues but for the last.
constexpr std::string_view kSumOfTwo = "+(Combinations[]) of two";
constexpr std::string_view kSumOfAll = "+(Combinations[])";
constexpr std::string_view kSubset = "Combinations[][]";

bool is_mass(const Node& node) {
  return node.kind == NodeKind::kKernel &&
         (node.kernel == masses_of_subsets(2) || node.kernel == masses_of_subsets(3));
}

class Simplifier {
 public:
  Simplifier(const Node& node, Graph& graph) : node_(node), graph_(graph) {}

  std::optional<Node> run() {
    if (node_.outer_levels > 0) return std::nullopt;
    if (node_.name == "Take" && node_.inputs.size() == 2) return member();
    if (node_.name == "+" && node_.type == jagged(ScalarType::kLorentzVector)) return sum();
    if (node_.name == "mass" || node_.name == "M") return mass();
    if (node_.name == kElement && node_.type.depth == 0) return element();
    if (node_.kind == NodeKind::kLoop) return member_of_loop();
    return std::nullopt;
  }

 private:
  const Node& input(std::size_t index) const { return graph_[node_.inputs[index]]; }

  std::uint64_t number(NodeId constant) const { return constant_number(graph_[constant]); }
  static bool is_supported(std::uint64_t count) { return count == 2 || count == 3; }

  // Take(values, Combinations(list, count)[member])
  std::optional<Node> member() const {
    const Node& indexes = input(1);
    if (indexes.name != kSubsetMember || node_.type.depth != 1) return std::nullopt;
    const std::uint64_t count = number(indexes.inputs[1]);
    if (!is_supported(count)) return std::nullopt;
    std::vector<NodeId> inputs{node_.inputs[0]};
    inputs.insert(inputs.end(), indexes.inputs.begin(), indexes.inputs.end());
    return replaced(kMemberValues, members_of_subsets(node_.type.scalar, count), std::move(inputs));
  }

  // Members 0 and 1, or to the sum of these member 2, of the same subsets.
  std::optional<Node> sum() const {
    const Node& left = input(0);
    const Node& right = input(1);
    if (right.name != kMemberValues || (left.name != kMemberValues && left.name != kSumOfTwo))
      return std::nullopt;
    if (!std::equal(right.inputs.begin(), right.inputs.begin() + 3, left.inputs.begin())) return std::nullopt;
    const bool is_next = left.name == kSumOfTwo ? number(right.inputs[3]) == 2
                                                : number(left.inputs[3]) == 0 && number(right.inputs[3]) == 1;
    if (!is_next) return std::nullopt;
    const std::uint64_t count = number(right.inputs[2]);
    const bool is_whole = count == 2 || left.name == kSumOfTwo;
    return replaced(is_whole ? kSumOfAll : kSumOfTwo, is_whole ? sums_of_subsets(count) : sums_of_first_two(),
                    {right.inputs.begin(), right.inputs.begin() + 3});
  }

  std::optional<Node> mass() const {
    if (input(0).name != kSumOfAll) return std::nullopt;
    return replaced(node_.name, masses_of_subsets(number(input(0).inputs[2])), input(0).inputs);
  }

  // One subset, whose number is the index.
  std::optional<Node> element() {
    const Node& list = input(0);
    if (list.name == kSubsetMember) return index_in_subset(list);
    if (auto quantity = quantity_of_one(list)) return quantity;
    std::vector<NodeId> inputs = list.inputs;
    inputs.push_back(node_.inputs[1]);
    if (list.name == kMemberValues)
      return replaced(kElement, member_of_subset(list.type.scalar, number(list.inputs[2])),
                      std::move(inputs));
    if (list.name == kSumOfAll) return sum_of_one(list);
    return std::nullopt;
  }

  // Combinations(list, count)[member][index]: the members of a subset are found together.
  std::optional<Node> index_in_subset(const Node& indexes) {
    const std::uint64_t count = number(indexes.inputs[1]);
    if (!is_supported(count)) return std::nullopt;
    const NodeId member = indexes.inputs[2];
    Node subset =
        replaced(kSubset, subset_of_rank(count), {indexes.inputs[0], indexes.inputs[1], node_.inputs[1]});
    subset.type = jagged(ScalarType::kUInt64);
    const NodeId subset_id = graph_.add(std::move(subset));
    return replaced(kElement, element_operation(jagged(ScalarType::kUInt64)).kernel, {subset_id, member});
  }

  // f(Take(values, Combinations(list, count)[member])): of values first, of which there are fewer.
  std::optional<Node> member_of_loop() const {
    if (node_.loop_can_fail || node_.type.depth != 1) return std::nullopt;
    const auto is_fixed = [&](NodeId id) { return graph_[id].kind == NodeKind::kConstant; };
    const auto varying = std::find_if_not(node_.inputs.begin(), node_.inputs.end(), is_fixed);
    if (varying == node_.inputs.end() || !std::all_of(varying + 1, node_.inputs.end(), is_fixed))
      return std::nullopt;
    Node member = graph_[*varying];
    // Conversions are added as they are.
    if (member.kind == NodeKind::kLoop && member.inputs.size() == 1)
      member = simplified(std::move(member), graph_);
    if (member.name != kMemberValues) return std::nullopt;
    Node loop = node_;
    loop.inputs[static_cast<std::size_t>(varying - node_.inputs.begin())] = member.inputs[0];
    std::vector<NodeId> inputs = member.inputs;
    inputs[0] = graph_.add(std::move(loop));
    const ColumnKernel kernel = members_of_subsets(node_.type.scalar, number(inputs[2]));
    return replaced(kMemberValues, kernel, std::move(inputs));
  }

  // quantity(vectors)[index]: that of one vector.
  std::optional<Node> quantity_of_one(const Node& list) {
    const bool is_of_vectors = list.kind == NodeKind::kLoop && list.inputs.size() == 1 &&
                               graph_[list.inputs[0]].type == jagged(ScalarType::kLorentzVector);
    if (!is_of_vectors && !is_mass(list)) return std::nullopt;
    Node quantity = node_;
    quantity.kind = NodeKind::kLoop;
    quantity.name = list.name;
    quantity.kernel = nullptr;
    quantity.loop = is_of_vectors ? list.loop : mass_loop(list.name);
    quantity.loop_can_fail = list.loop_can_fail;
    Node vector = is_of_vectors ? element_of(list.inputs[0]) : sum_of_one(list);
    vector.type = flat(ScalarType::kLorentzVector);
    quantity.inputs = {graph_.add(std::move(vector))};
    return quantity;
  }

  Node element_of(NodeId vectors) {
    Node node = node_;
    node.kernel = element_operation(jagged(ScalarType::kLorentzVector)).kernel;
    node.inputs = {vectors, node_.inputs[1]};
    node.type = flat(ScalarType::kLorentzVector);
    return simplified(std::move(node), graph_);
  }

  // Of nodes with the inputs of all sums.
  Node sum_of_one(const Node& list) const {
    std::vector<NodeId> inputs = list.inputs;
    inputs.push_back(node_.inputs[1]);
    const ColumnKernel kernel = sum_of_subset(number(inputs[2]));
    return replaced(kElement, kernel, std::move(inputs));
  }

  static Loop mass_loop(std::string_view name) {
    const Argument vector{flat(ScalarType::kLorentzVector), nullptr};
    return find_function(name)->choose({&vector, 1})->loop;
  }

  Node replaced(std::string_view name, ColumnKernel kernel, std::vector<NodeId> inputs) const {
    Node node = node_;
    node.kind = NodeKind::kKernel;
    node.name = name;
    node.loop = nullptr;
    node.kernel = kernel;
    node.list_sizes = ListSizes::kFree;
    node.can_fail = true;
    node.expands = node.type.is_jagged();
    node.inputs = std::move(inputs);
    return node;
  }

  const Node& node_;
  Graph& graph_;
};

}  // namespace

std::vector<NodeId> combinations_in(const Node& node) {
  if (node.outer_levels > 0) return {};
  if (node.name == kSubsetMember || node.name == kProductMember)
    return {node.inputs.begin(), node.inputs.end() - 1};
  if (node.name == kMemberValues || node.name == kSumOfTwo || node.name == kSumOfAll || is_mass(node))
    return {node.inputs[1], node.inputs[2]};
  return {};
}

std::uint64_t constant_number(const Node& constant) {
  return visit_scalar(constant.type.scalar, [&](auto tag) {
    return static_cast<std::uint64_t>(constant.constant.as<typename decltype(tag)::type>());
  });
}

Node simplified(Node node, Graph& graph) {
  if (std::optional<Node> other = Simplifier(node, graph).run()) return *std::move(other);
  return node;
}

}  // namespace skimline
