// SPDX-License-Identifier: BSD-3-Clause
// Orders the nodes that are asked for into steps and scopes, each computed once per scope.
#pragma once

#include "dataflow/program.h"

#include <map>
#include <tuple>

namespace skimline {

class Compiler {
 public:
  explicit Compiler(const Schema& schema);

  Graph& graph() { return program_.graph; }
  const Graph& graph() const { return program_.graph; }

  /// Returns the scope of the entries of `outer` for which `condition`, a bool node, is true.
  ScopeId enter(ScopeId outer, NodeId condition);

  void add_selection(ScopeId scope) { program_.selections.push_back(scope); }
  std::size_t num_selections() const { return program_.selections.size(); }
  ScopeId selection(std::size_t index) const { return program_.selections.at(index); }

  void fill(ScopeId scope, const std::vector<NodeId>& nodes, Accumulator& accumulator);
  void write(ScopeId scope, const std::vector<NodeId>& nodes, Sink& sink);

  Program finish() &&;

 private:
  SlotId demand(NodeId node, ScopeId scope);
  SlotId demand_lazily(NodeId node, ScopeId outer, SlotId condition, bool keep_when);
  bool is_computed_outside(NodeId node, ScopeId scope) const;
  SlotId narrow(NodeId node, ScopeId scope);
  SlotId compute(NodeId node, ScopeId scope);
  SlotId load(NodeId node, ScopeId scope);
  std::vector<SlotId> demand_inputs(NodeId node, ScopeId scope);
  ScopeId enter_slot(ScopeId outer, SlotId condition, bool keep_when);
  SlotId emit(StepKind kind, NodeId node, ScopeId scope, std::vector<SlotId> inputs);

  Program program_;
  std::map<std::pair<NodeId, ScopeId>, SlotId> slots_;
  std::map<std::tuple<ScopeId, SlotId, bool>, ScopeId> scopes_;
};

}  // namespace skimline
