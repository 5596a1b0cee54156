// SPDX-License-Identifier: BSD-3-Clause
// A plan in the form that runs: a straight list of steps over the batch, each for one scope.
//
// A scope is the set of entries for which a step computes values: all entries of a batch, or those of an
// outer scope for which a condition holds. Values of a scope are dense: one per surviving entry. Filters, and
// the sides of `&&`, `||` and `?:` that may fail or are costly, have scopes of their own.
#pragma once

#include "expression/graph.h"

#include "skimline/framework/accumulator.h"
#include "skimline/framework/evaluation_purpose.h"
#include "skimline/framework/schema.h"
#include "skimline/framework/sink.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace skimline {

using ScopeId = std::uint32_t;
using SlotId = std::uint32_t;

/// Steps with a slot compute the values of a node there.
enum class StepKind {
  kEnter,        ///< finds the entries of a scope
  kColumn,       ///< the values of a source column
  kConstant,     ///< one value
  kEntry,        ///< the numbers of the entries
  kFile,         ///< the name of their file
  kNarrow,       ///< the values a node has in the outer scope, for the entries of this one
  kLoop,         ///< an element-wise loop
  kKernel,       ///< a kernel on columns
  kAnd,          ///< inputs: left, and right in the scope where left is true
  kOr,           ///< inputs: left, and right in the scope where left is false
  kConditional,  ///< inputs: condition, and both choices in their scopes
  kFill,         ///< hands the inputs to an accumulator
  kWrite,        ///< hands the inputs to a sink
};

struct Step {
  StepKind kind = StepKind::kConstant;
  ScopeId scope = 0;
  SlotId slot = 0;
  std::uint32_t buffer = 0;  ///< of the slot
  NodeId node = 0;
  std::vector<SlotId> inputs;
  EvaluationPurpose purpose = {};   ///< what needed the step first
  std::size_t target = 0;           ///< of kFill and kWrite: which accumulator or sink
  std::vector<NodeId> filled = {};  ///< of kFill: the nodes of the inputs
};

struct Scope {
  ScopeId outer = 0;
  SlotId condition = 0;   ///< in the outer scope, bool
  bool keep_when = true;  ///< the condition's value for entries of this scope
  /// Columns to load together when the scope first has entries in a slice: those viewed for it. An outer
  /// scope may have loaded some of them.
  std::vector<std::size_t> columns;
};

/// Whether a step computes values: all but those that enter a scope, fill and write.
inline bool has_slot(const Step& step) {
  return step.kind != StepKind::kEnter && step.kind != StepKind::kFill && step.kind != StepKind::kWrite;
}

class Program {
 public:
  Graph graph;
  Schema schema;
  std::vector<Scope> scopes;  ///< [0] holds all entries
  std::vector<Step> steps;
  std::uint32_t num_slots = 0;
  /// Where the values of a slot lie. Slots share a buffer if none of them is needed when the next is
  /// computed.
  std::vector<std::uint32_t> buffer_of_slot;
  std::uint32_t num_buffers = 0;
  std::vector<ScopeId> selections;  ///< by SelectionId::index
  std::vector<Accumulator*> accumulators;
  std::vector<Sink*> sinks;
  std::vector<std::string> columns_read;
  std::map<NodeId, std::string> definitions;  ///< the name of each defined node, the first of several
};

}  // namespace skimline
