// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/compiler.h"

#include <limits>

namespace skimline {
namespace {

constexpr ScopeId kNotLoaded = std::numeric_limits<ScopeId>::max();

}  // namespace

Compiler::Compiler(const Schema& schema) {
  program_.schema = schema;
  program_.scopes.emplace_back();
  program_.column_scope.assign(schema.size(), kNotLoaded);
  program_.selections.push_back(0);
}

ScopeId Compiler::enter(ScopeId outer, NodeId condition) {
  // Each side of a conjunction narrows in turn, so that columns of the right side are read for fewer entries.
  if (graph()[condition].kind == NodeKind::kAnd) {
    const std::vector<NodeId> sides = graph()[condition].inputs;
    return enter(enter(outer, sides[0]), sides[1]);
  }
  return enter_slot(outer, demand(condition, outer), true);
}

ScopeId Compiler::enter_slot(ScopeId outer, SlotId condition, bool keep_when) {
  const auto [found, is_new] =
      scopes_.try_emplace({outer, condition, keep_when}, static_cast<ScopeId>(program_.scopes.size()));
  if (is_new) {
    program_.scopes.push_back({outer, condition, keep_when, {}});
    Step step;
    step.kind = StepKind::kEnter;
    step.scope = found->second;
    program_.steps.push_back(std::move(step));
  }
  return found->second;
}

SlotId Compiler::demand(NodeId node, ScopeId scope) {
  if (const auto found = slots_.find({node, scope}); found != slots_.end()) return found->second;
  const SlotId slot = compute(node, scope);
  slots_[{node, scope}] = slot;
  return slot;
}

// Steps of outer scopes come earlier and have run whenever this scope has entries.
bool Compiler::is_computed_outside(NodeId node, ScopeId scope) const {
  while (scope != 0) {
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
  const std::size_t column = graph()[node].column;
  if (program_.column_scope[column] == kNotLoaded) {
    program_.column_scope[column] = scope;
    program_.scopes[scope].columns.push_back(column);
  }
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
  program_.steps.push_back(std::move(step));
  return program_.steps.back().slot;
}

void Compiler::fill(ScopeId scope, const std::vector<NodeId>& nodes, Accumulator& accumulator) {
  Step step;
  step.kind = StepKind::kFill;
  step.scope = scope;
  for (const NodeId node : nodes) step.inputs.push_back(demand(node, scope));
  step.node = nodes.back();  // the weight, if there is one: what an accumulator may refuse
  step.target = program_.accumulators.size();
  program_.accumulators.push_back(&accumulator);
  program_.steps.push_back(std::move(step));
}

void Compiler::write(ScopeId scope, const std::vector<NodeId>& nodes, Sink& sink) {
  Step step;
  step.kind = StepKind::kWrite;
  step.scope = scope;
  for (const NodeId node : nodes) step.inputs.push_back(demand(node, scope));
  step.target = program_.sinks.size();
  program_.sinks.push_back(&sink);
  program_.steps.push_back(std::move(step));
}

Program Compiler::finish() && {
  for (std::size_t column = 0; column < program_.schema.size(); ++column)
    if (program_.column_scope[column] != kNotLoaded)
      program_.columns_read.push_back(program_.schema[column].name);
  return std::move(program_);
}

}  // namespace skimline
