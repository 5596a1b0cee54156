// SPDX-License-Identifier: BSD-3-Clause
#include "expression/fusion.h"

#include "expression/combinations.h"
#include "expression/list_elements.h"
#include "expression/simplification.h"
#include "expression/subset_reductions.h"
#include "expression/subset_values.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace skimline {
namespace {

// By node: how often it is an input of those that are asked for, or asked for itself.
std::vector<std::size_t> uses_of(const Graph& graph, const std::vector<NodeId>& roots) {
  std::vector<std::size_t> uses(graph.size(), 0);
  for (const NodeId root : roots) ++uses[root];
  // Inputs come before what needs them.
  for (std::size_t id = graph.size(); id-- > 0;)
    if (uses[id] > 0)
      for (const NodeId input : graph[static_cast<NodeId>(id)].inputs) ++uses[input];
  return uses;
}

// The pairs or triples of a list.
struct CombinedList {
  NodeId list = kNoNode, count = kNoNode;
  friend bool operator==(const CombinedList&, const CombinedList&) = default;
};

// Makes the program of one reduction.
class Fusion {
 public:
  Fusion(const Graph& graph, const std::vector<std::size_t>& uses) : graph_(graph), uses_(uses) {}

  std::optional<Node> run(const Node& reduction) {
    const bool is_reduction = reduction.kind == NodeKind::kKernel && reduction.outer_levels == 0 &&
                              !reduction.external && reduction.inputs.size() == 1;
    if (!is_reduction || graph_[reduction.inputs[0]].type.depth != 1) return std::nullopt;
    const auto fold = subset_fold(reduction.name, graph_[reduction.inputs[0]].type.scalar);
    if (!fold || !add(reduction.inputs[0]) || !subsets_ || !is_all_that_needs_lists()) return std::nullopt;
    program_.count = constant_number(graph_[subsets_->count]);
    program_.allows_none = graph_[subsets_->count].type.scalar == ScalarType::kInt64;
    program_.function = reduction.name;
    program_.fold = *fold;
    Node node = reduction;
    node.kernel = reduce_subsets;
    node.list_sizes = ListSizes::kFree;
    node.inputs = {subsets_->list};
    node.inputs.insert(node.inputs.end(), inputs_.begin(), inputs_.end());
    node.state = std::make_shared<const SubsetProgram>(std::move(program_));
    return node;
  }

 private:
  using Kind = SubsetStep::Kind;

  // The steps of a list and of what it is computed of, of each once. Values build on one another further than
  // the stack would go.
  bool add(NodeId list) {
    std::vector<NodeId> pending{list};
    while (!pending.empty()) {
      const NodeId id = pending.back();
      const std::optional<std::vector<NodeId>> needed = lists_below(id);
      if (!needed) return false;
      const auto missing =
          std::find_if(needed->begin(), needed->end(), [&](NodeId each) { return !steps_.contains(each); });
      if (missing != needed->end()) {
        pending.push_back(*missing);
        continue;
      }
      pending.pop_back();
      if (steps_.contains(id)) continue;
      if (!add_step(id)) return false;
      steps_.emplace(id, program_.steps.size() - 1);
      for (const NodeId each : *needed) ++uses_here_[each];
    }
    ++uses_here_[list];
    return true;
  }

  bool is_loop(const Node& node) const { return node.kind == NodeKind::kLoop && !node.loop_can_fail; }
  // A flat value that is repeated for the elements of a list.
  bool is_repeated(const Node& node) const {
    return node.kind == NodeKind::kKernel && node.name.empty() && node.inputs.size() == 2 &&
           node.kernel == broadcast_operation(graph_[node.inputs[0]].type, 1).kernel &&
           graph_[node.inputs[0]].type.depth == 0;
  }

  // Those that must have steps before that of a node; nothing if it can have none.
  std::optional<std::vector<NodeId>> lists_below(NodeId id) const {
    const Node& node = graph_[id];
    if (node.type.depth != 1 || node.outer_levels > 0) return std::nullopt;
    if (is_repeated(node)) return std::vector{node.inputs[1]};
    if (node.kind == NodeKind::kKernel) return std::vector<NodeId>{};
    if (!is_loop(node)) return std::nullopt;
    std::vector<NodeId> lists;
    for (const NodeId input : node.inputs)
      if (graph_[input].kind != NodeKind::kConstant) lists.push_back(input);
    return lists;
  }

  bool add_step(NodeId id) {
    const Node& node = graph_[id];
    if (is_loop(node)) return add_loop(node);
    if (is_repeated(node)) return add_step(Kind::kEntryValue, node, node.inputs[0]);
    if (node.name == kSubsetMember) return combine({node.inputs[0], node.inputs[1]}) && add_index(node);
    if (node.name == kMemberValues) {
      if (!combine({node.inputs[1], node.inputs[2]}) || !add_step(Kind::kMember, node, node.inputs[0]))
        return false;
      program_.steps.back().member = static_cast<std::uint32_t>(constant_number(graph_[node.inputs[3]]));
      return true;
    }
    if (node.kind != NodeKind::kKernel || node.inputs.size() != 3) return false;
    for (const std::uint64_t count : {2, 3}) {
      if (node.kernel == masses_of_subsets(count))
        return combine({node.inputs[1], node.inputs[2]}) && add_step(Kind::kMass, node, node.inputs[0]);
      if (node.kernel == sums_of_subsets(count))
        return combine({node.inputs[1], node.inputs[2]}) && add_step(Kind::kSum, node, node.inputs[0]);
    }
    return false;
  }

  bool add_step(Kind kind, const Node& node, NodeId input) {
    SubsetStep step;
    step.kind = kind;
    step.scalar = node.type.scalar;
    step.input = number_of_input(input);
    program_.steps.push_back(std::move(step));
    return true;
  }

  bool add_index(const Node& node) {
    SubsetStep step;
    step.kind = Kind::kIndex;
    step.scalar = node.type.scalar;
    step.member = static_cast<std::uint32_t>(constant_number(graph_[node.inputs[2]]));
    program_.steps.push_back(std::move(step));
    return true;
  }

  bool add_loop(const Node& node) {
    SubsetStep step;
    step.scalar = node.type.scalar;
    step.loop = node.loop;
    for (const NodeId input : node.inputs) {
      if (graph_[input].kind == NodeKind::kConstant)
        step.operands.push_back({true, graph_[input].constant, 0});
      else
        step.operands.push_back({false, {}, steps_.at(input)});
    }
    program_.steps.push_back(std::move(step));
    return true;
  }

  // All steps must be of the same pairs or triples.
  bool combine(const CombinedList& subsets) {
    const std::uint64_t count = constant_number(graph_[subsets.count]);
    if (count != 2 && count != 3) return false;
    if (!subsets_) subsets_ = subsets;
    return *subsets_ == subsets;
  }

  // Behind the list that is combined.
  std::size_t number_of_input(NodeId input) {
    const auto found = std::find(inputs_.begin(), inputs_.end(), input);
    const auto number = static_cast<std::size_t>(found - inputs_.begin()) + 1;
    if (found == inputs_.end()) inputs_.push_back(input);
    return number;
  }

  // Members of subsets cost little, and may be made twice, but not to be reduced as they are.
  bool is_all_that_needs_lists() const {
    return std::all_of(steps_.begin(), steps_.end(), [&](const auto& step) {
      const auto& [id, number] = step;
      const Kind kind = program_.steps[number].kind;
      const bool is_member = kind == Kind::kMember || kind == Kind::kIndex;
      return (is_member && number + 1 < steps_.size()) || uses_[id] == uses_here_.at(id);
    });
  }

  const Graph& graph_;
  const std::vector<std::size_t>& uses_;
  SubsetProgram program_;
  std::vector<NodeId> inputs_;
  std::optional<CombinedList> subsets_;
  std::unordered_map<NodeId, std::size_t> steps_;      // their numbers
  std::unordered_map<NodeId, std::size_t> uses_here_;  // as inputs of steps, and what is reduced
};

}  // namespace

void fuse_reductions(Graph& graph, const std::vector<NodeId>& roots) {
  const std::vector<std::size_t> uses = uses_of(graph, roots);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (uses[id] == 0) continue;
    if (std::optional<Node> fused = Fusion(graph, uses).run(graph[id]))
      graph.substitute(id, *std::move(fused));
  }
}

}  // namespace skimline
