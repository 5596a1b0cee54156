// SPDX-License-Identifier: BSD-3-Clause
// What the steps of a program are called, for people.
#include "engine/program.h"

#include "skimline/framework/plan.h"

#include <string>

namespace skimline {
namespace {

std::string_view verb(StepKind kind) {
  switch (kind) {
    case StepKind::kEnter:
      return "select";
    case StepKind::kColumn:
      return "column";
    case StepKind::kConstant:
      return "constant";
    case StepKind::kEntry:
    case StepKind::kFile:
      return "built-in";
    case StepKind::kNarrow:
      return "narrow";
    case StepKind::kLoop:
    case StepKind::kKernel:
      return "compute";
    case StepKind::kAnd:
      return "and";
    case StepKind::kOr:
      return "or";
    case StepKind::kConditional:
      return "choose";
    case StepKind::kFill:
      return "fill";
    case StepKind::kWrite:
      return "write";
  }
  return "";
}

std::string slot_name(SlotId slot) { return "v" + std::to_string(slot); }
std::string scope_name(ScopeId scope) { return "s" + std::to_string(scope); }

std::string list_of_slots(const std::vector<SlotId>& slots) {
  std::string text;
  for (const SlotId slot : slots) text += (text.empty() ? "" : ", ") + slot_name(slot);
  return text;
}

std::string describe_entry(const Program& program, const Step& step) {
  const Scope& scope = program.scopes[step.scope];
  return scope_name(step.scope) + ": " + scope_name(scope.outer) + " where " +
         (scope.keep_when ? "" : "not ") + slot_name(scope.condition);
}

std::string describe_step(const Program& program, const Step& step) {
  if (step.kind == StepKind::kEnter) return describe_entry(program, step);
  std::string text = scope_name(step.scope) + ": " + std::string(verb(step.kind));
  if (step.kind == StepKind::kFill)
    return text + " " + std::to_string(step.target) + " from " + list_of_slots(step.inputs);
  if (step.kind == StepKind::kWrite) return text + " " + list_of_slots(step.inputs);
  const Node& node = program.graph[step.node];
  text += " " + slot_name(step.slot) + " = " + node.text + " (" + name_of(node.type) + ")";
  return step.inputs.empty() ? text : text + " from " + list_of_slots(step.inputs);
}

}  // namespace

std::string Plan::description() const {
  std::string text;
  for (const Step& step : program_->steps) text += describe_step(*program_, step) + "\n";
  return text;
}

}  // namespace skimline
