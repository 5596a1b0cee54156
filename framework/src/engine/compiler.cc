// SPDX-License-Identifier: BSD-3-Clause
#include "engine/compiler.h"

#include "engine/buffer_assignment.h"
#include "engine/conjunction.h"
#include "expression/fusion.h"

#include <algorithm>
#include <span>
#include <unordered_set>

namespace skimline {
namespace {

// Of more conditions, costs are taken once: comparing all again after each takes time that grows with the
// cube of their number.
constexpr std::size_t kMaxCompared = 64;

}  // namespace

Compiler::Compiler(const Schema& schema, StoredBytes stored_bytes)
    : stored_bytes_(std::move(stored_bytes)), selections_(1), depths_(1) {
  program_.schema = schema;
  program_.scopes.emplace_back();
}

std::size_t Compiler::select(std::size_t parent, NodeId condition) {
  selections_.push_back({parent, condition, {}});
  return selections_.size() - 1;
}

void Compiler::fill(std::size_t selection, std::vector<NodeId> nodes, Accumulator& accumulator) {
  const std::size_t target = program_.accumulators.size();
  selections_.at(selection).outputs.push_back({StepKind::kFill, std::move(nodes), target});
  program_.accumulators.push_back(&accumulator);
}

void Compiler::write(std::size_t selection, std::vector<NodeId> nodes, Sink& sink) {
  const std::size_t target = program_.sinks.size();
  selections_.at(selection).outputs.push_back({StepKind::kWrite, std::move(nodes), target});
  program_.sinks.push_back(&sink);
}

void Compiler::only_write() {
  counted_.emplace();
  for (Selection& selection : selections_)
    std::erase_if(selection.outputs, [](const Output& output) { return output.kind == StepKind::kFill; });
}

// Those that somebody wants to know of, and those around them.
std::vector<bool> Compiler::followed_selections() const {
  std::vector<bool> is_followed(selections_.size(), !counted_);
  for (std::size_t i = selections_.size(); i-- > 1;) {
    if (counted_ && (counted_->contains(i) || !selections_[i].outputs.empty())) is_followed[i] = true;
    if (is_followed[i]) is_followed[selections_[i].parent] = true;
  }
  return is_followed;
}

// What the selections and outputs of a run are made of.
std::vector<NodeId> Compiler::roots(const std::vector<bool>& is_followed) const {
  std::vector<NodeId> roots;
  for (std::size_t i = 0; i < selections_.size(); ++i) {
    if (i > 0 && is_followed[i]) roots.push_back(selections_[i].condition);
    for (const Output& output : selections_[i].outputs)
      roots.insert(roots.end(), output.nodes.begin(), output.nodes.end());
  }
  return roots;
}

Program Compiler::finish() && {
  const std::vector<bool> is_followed = followed_selections();
  fuse_reductions(graph(), roots(is_followed));
  for (std::size_t i = 0; i < selections_.size(); ++i) {
    const Selection& selection = selections_[i];
    purpose_ = {EvaluationPurpose::Kind::kSelection, i};
    program_.selections.push_back(
        i == 0 || !is_followed[i] ? 0 : enter(program_.selections[selection.parent], selection.condition));
    for (const Output& output : selection.outputs) emit(output, program_.selections.back());
  }
  std::vector<bool> is_read(program_.schema.size(), false);
  for (const Scope& scope : program_.scopes)
    for (const std::size_t column : scope.columns) is_read[column] = true;
  for (std::size_t column = 0; column < is_read.size(); ++column)
    if (is_read[column]) program_.columns_read.push_back(program_.schema[column].name);
  assign_buffers(program_);
  return std::move(program_);
}

// Each condition narrows in turn, so that columns of later ones are read for fewer entries.
ScopeId Compiler::enter(ScopeId outer, NodeId condition) {
  ScopeId scope = outer;
  for (ConjunctGroup& group : grouped(conjuncts_of(condition, graph()), graph())) {
    scope = enter_each(scope, std::move(group.movable));
    if (group.has_last) scope = enter_slot(scope, demand(group.last, scope), true);
  }
  return scope;
}

// The cheapest next, of equal ones that which stands first in the text.
ScopeId Compiler::enter_each(ScopeId outer, std::vector<NodeId> conditions) {
  ScopeId scope = outer;
  if (conditions.size() > kMaxCompared) sort_by_cost(conditions, outer);
  while (!conditions.empty()) {
    auto cheapest = conditions.begin();
    if (conditions.size() > 1 && conditions.size() <= kMaxCompared) {
      std::vector<Cost> costs;
      for (const NodeId condition : conditions) costs.push_back(cost(condition, scope));
      cheapest += std::min_element(costs.begin(), costs.end()) - costs.begin();
    }
    scope = enter_slot(scope, demand(*cheapest, scope), true);
    conditions.erase(cheapest);
  }
  return scope;
}

void Compiler::sort_by_cost(std::vector<NodeId>& conditions, ScopeId scope) {
  std::vector<std::pair<Cost, NodeId>> by_cost;
  for (const NodeId condition : conditions) by_cost.emplace_back(cost(condition, scope), condition);
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(by_cost.begin(), by_cost.end(), conditions.begin(),
                 [](const auto& each) { return each.second; });
}

std::uint64_t Compiler::bytes_to_read(std::size_t column) {
  if (!stored_bytes_) return size_of(program_.schema[column].type.scalar);
  const auto [known, is_new] = known_bytes_.try_emplace(column);
  if (is_new) known->second = stored_bytes_(column);
  return known->second;
}

Compiler::Cost Compiler::cost(NodeId root, ScopeId scope) {
  Cost total{graph()[root].is_costly, 0, 0};
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> pending{root};
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    const bool is_there = slots_.contains({node, scope}) || is_computed_outside(node, scope);
    if (is_there || !seen.insert(node).second) continue;
    if (graph()[node].kind == NodeKind::kColumn) std::get<1>(total) += bytes_to_read(graph()[node].column);
    ++std::get<2>(total);
    pending.insert(pending.end(), graph()[node].inputs.begin(), graph()[node].inputs.end());
  }
  return total;
}

ScopeId Compiler::enter_slot(ScopeId outer, SlotId condition, bool keep_when) {
  const auto [found, is_new] =
      scopes_.try_emplace({outer, condition, keep_when}, static_cast<ScopeId>(program_.scopes.size()));
  if (is_new) {
    program_.scopes.push_back({outer, condition, keep_when, {}});
    depths_.push_back(depths_[outer] + 1);
    Step step;
    step.kind = StepKind::kEnter;
    step.scope = found->second;
    step.purpose = purpose_;
    program_.steps.push_back(std::move(step));
  }
  return found->second;
}

// Values build on one another further than the stack would go.
SlotId Compiler::demand(NodeId node, ScopeId scope) {
  std::vector<Place> pending{{node, scope}};
  while (true) {
    const Place place = pending.back();
    if (const std::optional<Place> first = missing_for(place.first, place.second)) {
      pending.push_back(*first);
      continue;
    }
    pending.pop_back();
    if (!slots_.contains(place)) {
      const SlotId slot = compute(place.first, place.second);
      slots_.emplace(place, slot);
      const std::uint32_t depth = depths_[place.second];
      const auto [known, is_new] = shallowest_.try_emplace(place.first, depth);
      if (!is_new) known->second = std::min(known->second, depth);
    }
    if (pending.empty()) return slots_.at(place);
  }
}

// The first value that has to be there before that of a node, if it is not.
std::optional<Compiler::Place> Compiler::missing_for(NodeId node, ScopeId scope) {
  const Node& each = graph()[node];
  if (slots_.contains({node, scope}) || each.inputs.empty()) return std::nullopt;
  if (is_computed_outside(node, scope)) {
    const Place outer{node, program_.scopes[scope].outer};
    return slots_.contains(outer) ? std::nullopt : std::optional(outer);
  }
  // Other sides of conditions have scopes of their own.
  const bool is_eager = each.kind == NodeKind::kLoop || each.kind == NodeKind::kKernel;
  for (const NodeId input : std::span(each.inputs).first(is_eager ? each.inputs.size() : 1))
    if (!slots_.contains({input, scope})) return Place{input, scope};
  return std::nullopt;
}

// Steps of outer scopes come earlier and have run whenever this scope has entries.
bool Compiler::is_computed_outside(NodeId node, ScopeId scope) {
  const auto known = shallowest_.find(node);
  while (known != shallowest_.end() && depths_[scope] > known->second) {
    ++num_scopes_searched_;
    scope = program_.scopes[scope].outer;
    if (slots_.contains({node, scope})) return true;
  }
  return false;
}

SlotId Compiler::narrow(NodeId node, ScopeId scope) {
  const SlotId outer = demand(node, program_.scopes[scope].outer);
  return emit(StepKind::kNarrow, node, scope, {outer});
}

SlotId Compiler::compute(NodeId node, ScopeId scope) {
  const NodeKind kind = graph()[node].kind;
  if (kind == NodeKind::kColumn) return load(node, scope);
  if (kind == NodeKind::kConstant) return emit(StepKind::kConstant, node, scope, {});
  if (kind == NodeKind::kEntry) return emit(StepKind::kEntry, node, scope, {});
  if (kind == NodeKind::kFile) return emit(StepKind::kFile, node, scope, {});
  if (is_computed_outside(node, scope)) return narrow(node, scope);
  switch (kind) {
    case NodeKind::kLoop:
      return emit(StepKind::kLoop, node, scope, demand_inputs(node, scope));
    case NodeKind::kKernel:
      return emit(StepKind::kKernel, node, scope, demand_inputs(node, scope));
    default:
      break;
  }
  const std::vector<NodeId> inputs = graph()[node].inputs;
  const SlotId first = demand(inputs[0], scope);
  if (kind == NodeKind::kAnd)
    return emit(StepKind::kAnd, node, scope, {first, demand_lazily(inputs[1], scope, first, true)});
  if (kind == NodeKind::kOr)
    return emit(StepKind::kOr, node, scope, {first, demand_lazily(inputs[1], scope, first, false)});
  const SlotId chosen = demand_lazily(inputs[1], scope, first, true);
  const SlotId other = demand_lazily(inputs[2], scope, first, false);
  return emit(StepKind::kConditional, node, scope, {first, chosen, other});
}

SlotId Compiler::demand_lazily(NodeId node, ScopeId outer, SlotId condition, bool keep_when) {
  return demand(node, enter_slot(outer, condition, keep_when));
}

SlotId Compiler::load(NodeId node, ScopeId scope) {
  program_.scopes[scope].columns.push_back(graph()[node].column);
  return emit(StepKind::kColumn, node, scope, {});
}

std::vector<SlotId> Compiler::demand_inputs(NodeId node, ScopeId scope) {
  const std::vector<NodeId> inputs = graph()[node].inputs;
  std::vector<SlotId> slots;
  for (const NodeId input : inputs) slots.push_back(demand(input, scope));
  return slots;
}

SlotId Compiler::emit(StepKind kind, NodeId node, ScopeId scope, std::vector<SlotId> inputs) {
  Step step;
  step.kind = kind;
  step.scope = scope;
  step.node = node;
  step.slot = program_.num_slots++;
  step.inputs = std::move(inputs);
  step.purpose = purpose_;
  program_.steps.push_back(std::move(step));
  return program_.steps.back().slot;
}

void Compiler::emit(const Output& output, ScopeId scope) {
  using Kind = EvaluationPurpose::Kind;
  purpose_ = {output.kind == StepKind::kFill ? Kind::kFill : Kind::kWrite, output.target};
  Step step;
  step.purpose = purpose_;
  step.kind = output.kind;
  step.scope = scope;
  for (const NodeId node : output.nodes) step.inputs.push_back(demand(node, scope));
  if (output.kind == StepKind::kFill) {
    step.node = output.nodes.front();
    step.filled = output.nodes;
  }
  step.target = output.target;
  program_.steps.push_back(std::move(step));
}

}  // namespace skimline
