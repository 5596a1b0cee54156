// SPDX-License-Identifier: BSD-3-Clause
#include "engine/buffer_assignment.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace skimline {
namespace {

// Flat numbers are computed into the buffer of their own slot. Lists may use the offsets of an input, texts
// the characters, and what is narrowed to all entries is the input itself.
bool may_view_inputs(const Step& step, const Graph& graph) {
  const Type& type = graph[step.node].type;
  return step.kind == StepKind::kNarrow || type.is_jagged() || type.scalar == ScalarType::kString;
}

// By slot: the number of the last step that needs its values.
std::vector<std::size_t> last_uses(const Program& program) {
  std::vector<std::size_t> last(program.num_slots, 0);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (has_slot(step)) last[step.slot] = i;
    for (const SlotId input : step.inputs) last[input] = i;
    if (step.kind == StepKind::kEnter) last[program.scopes[step.scope].condition] = i;
  }
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step)
    if (has_slot(*step) && may_view_inputs(*step, program.graph))
      for (const SlotId input : step->inputs) last[input] = std::max(last[input], last[step->slot]);
  return last;
}

}  // namespace

void assign_buffers(Program& program) {
  const std::vector<std::size_t> last = last_uses(program);
  using Ending =
      std::pair<std::size_t, std::uint32_t>;  // the last use of what a buffer holds, and its number
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> in_use;
  std::vector<std::uint32_t> free;
  program.buffer_of_slot.assign(program.num_slots, 0);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    Step& step = program.steps[i];
    if (!has_slot(step)) continue;
    for (; !in_use.empty() && in_use.top().first < i; in_use.pop()) free.push_back(in_use.top().second);
    if (free.empty()) free.push_back(program.num_buffers++);
    step.buffer = free.back();
    free.pop_back();
    program.buffer_of_slot[step.slot] = step.buffer;
    in_use.emplace(last[step.slot], step.buffer);
  }
}

}  // namespace skimline
