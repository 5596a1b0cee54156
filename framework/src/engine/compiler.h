// SPDX-License-Identifier: BSD-3-Clause
// Orders the nodes that are asked for into steps and scopes, each computed once per scope.
#pragma once

#include "engine/program.h"

#include "skimline/framework/schema.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline {

class Compiler {
 public:
  /// `stored_bytes` gives what reading a column of the schema costs; without it, sizes of values count.
  Compiler(const Schema& schema, StoredBytes stored_bytes);

  Graph& graph() { return program_.graph; }
  const Graph& graph() const { return program_.graph; }

  /// Remembers the name of a definition, for descriptions of the plan.
  void name(NodeId node, const std::string& name) { program_.definitions.emplace(node, name); }

  /// Adds the selection of those entries of `parent` for which `condition`, a bool node, is true, and returns
  /// its number. Number 0 is all entries.
  std::size_t select(std::size_t parent, NodeId condition);

  void fill(std::size_t selection, std::vector<NodeId> nodes, Accumulator& accumulator);
  void write(std::size_t selection, std::vector<NodeId> nodes, Sink& sink);

  /// Follows other selections than these only where outputs need them.
  void count_only(std::set<std::size_t> selections) { counted_ = std::move(selections); }

  /// Leaves out the fills, and follows selections only for what is written.
  void only_write();

  Program finish() &&;

  /// How often it was asked whether an outer scope has a value: grows with the steps, not with their square.
  std::size_t num_scopes_searched() const { return num_scopes_searched_; }

 private:
  // What is asked for. Steps are made once all is known, from the outside in, so that what an outer selection
  // computes anyway is not computed again inside.
  struct Output {
    StepKind kind;
    std::vector<NodeId> nodes;
    std::size_t target;
  };
  struct Selection {
    std::size_t parent = 0;
    NodeId condition = 0;
    std::vector<Output> outputs;
  };
  // A value: of a node, in a scope.
  using Place = std::pair<NodeId, ScopeId>;
  // What a condition costs for the entries of a scope, by importance.
  using Cost = std::tuple<bool, std::uint64_t, std::size_t>;  // reads lists, bytes to read, steps

  std::vector<bool> followed_selections() const;
  std::vector<NodeId> roots(const std::vector<bool>& is_followed) const;
  ScopeId enter(ScopeId outer, NodeId condition);
  ScopeId enter_each(ScopeId outer, std::vector<NodeId> conditions);
  void sort_by_cost(std::vector<NodeId>& conditions, ScopeId scope);
  ScopeId enter_slot(ScopeId outer, SlotId condition, bool keep_when);
  Cost cost(NodeId node, ScopeId scope);
  std::uint64_t bytes_to_read(std::size_t column);
  void emit(const Output& output, ScopeId scope);
  SlotId demand(NodeId node, ScopeId scope);
  std::optional<Place> missing_for(NodeId node, ScopeId scope);
  SlotId demand_lazily(NodeId node, ScopeId outer, SlotId condition, bool keep_when);
  bool is_computed_outside(NodeId node, ScopeId scope);
  SlotId narrow(NodeId node, ScopeId scope);
  SlotId compute(NodeId node, ScopeId scope);
  SlotId load(NodeId node, ScopeId scope);
  std::vector<SlotId> demand_inputs(NodeId node, ScopeId scope);
  SlotId emit(StepKind kind, NodeId node, ScopeId scope, std::vector<SlotId> inputs);

  Program program_;
  EvaluationPurpose purpose_;  // of what is compiled at the moment
  StoredBytes stored_bytes_;
  std::unordered_map<std::size_t, std::uint64_t> known_bytes_;  // answers of stored_bytes_, by column
  std::vector<Selection> selections_;
  std::optional<std::set<std::size_t>> counted_;  // of the selections; all unless given
  std::map<Place, SlotId> slots_;
  std::unordered_map<NodeId, std::uint32_t>
      shallowest_;                     // by node, the depth of the outermost scope with a slot
  std::vector<std::uint32_t> depths_;  // of the scopes
  std::size_t num_scopes_searched_ = 0;
  std::map<std::tuple<ScopeId, SlotId, bool>, ScopeId> scopes_;
};

}  // namespace skimline
