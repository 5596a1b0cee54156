// SPDX-License-Identifier: BSD-3-Clause
// A program as nested sets of entries.
#include "engine/batch_size.h"
#include "engine/program.h"

#include "skimline/framework/plan_outline.h"

#include <algorithm>
#include <set>
#include <utility>

namespace skimline {
namespace {

class Outliner {
 public:
  explicit Outliner(const Program& program) : program_(program), node_of_slot_(program.num_slots) {
    for (const Step& step : program.steps)
      if (has_slot(step)) node_of_slot_[step.slot] = step.node;
    for (const Scope& scope : program.scopes) conditions_.emplace(scope.outer, scope.condition);
  }

  PlanOutline outline() {
    for (std::size_t scope = 0; scope < program_.scopes.size(); ++scope) add_entries(scope);
    for (const ScopeId selection : program_.selections) {
      outline_.selections.push_back(selection);
      mark_filters(selection);
    }
    for (const Step& step : program_.steps) add(step);
    outline_.num_steps = program_.steps.size();
    return std::move(outline_);
  }

 private:
  void add_entries(std::size_t number) {
    const Scope& scope = program_.scopes[number];
    OutlinedEntries entries;
    entries.outer = scope.outer;
    entries.keep_when = scope.keep_when;
    if (number > 0) entries.condition = program_.graph[node_of_slot_[scope.condition]].text;
    for (const std::size_t column : scope.columns)
      if (!is_read_outside(column, number)) entries.columns.push_back(column);
    outline_.entries.push_back(std::move(entries));
  }

  bool is_read_outside(std::size_t column, std::size_t scope) const {
    while (scope != 0) {
      scope = program_.scopes[scope].outer;
      const std::vector<std::size_t>& columns = program_.scopes[scope].columns;
      if (std::find(columns.begin(), columns.end(), column) != columns.end()) return true;
    }
    return false;
  }

  void mark_filters(std::size_t scope) {
    for (; scope != 0 && !outline_.entries[scope].is_filter; scope = program_.scopes[scope].outer)
      outline_.entries[scope].is_filter = true;
  }

  void add(const Step& step) {
    OutlinedEntries& entries = outline_.entries[step.scope];
    if (step.kind == StepKind::kFill) entries.fills.push_back(step.target);
    if (step.kind == StepKind::kWrite) entries.writes.push_back(step.target);
    if (!has_slot(step)) return;
    const Node& node = program_.graph[step.node];
    if (node.inputs.empty() || step.kind == StepKind::kNarrow) return;
    const auto is_same_text = [&](NodeId input) { return program_.graph[input].text == node.text; };
    const auto definition = program_.definitions.find(step.node);
    entries.nodes.push_back(
        {.text = node.text,
         .definition = definition == program_.definitions.end() ? "" : definition->second,
         .type = node.type,
         .is_condition = conditions_.contains({step.scope, step.slot}),
         .is_conversion = std::any_of(node.inputs.begin(), node.inputs.end(), is_same_text)});
  }

  const Program& program_;
  std::vector<NodeId> node_of_slot_;
  std::set<std::pair<ScopeId, SlotId>> conditions_;  // by the scope they are computed in
  PlanOutline outline_;
};

}  // namespace

PlanOutline outline(const Plan& plan, const ValuesPerEntry& values_per_entry) {
  PlanOutline outline = Outliner(plan.program()).outline();
  outline.batch_bytes = batch_bytes_of(plan.program(), values_per_entry);
  outline.written_bytes = written_bytes_of(plan, values_per_entry);
  return outline;
}

}  // namespace skimline
