// SPDX-License-Identifier: BSD-3-Clause
#include "engine/evaluator.h"

#include "engine/batch_size.h"
#include "engine/gather.h"
#include "engine/list_sizes.h"

#include "skimline/framework/error.h"
#include "skimline/framework/evaluation_purpose.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace skimline {
namespace {

std::span<const bool> flags_of(const ColumnView& condition) {
  return {condition.data<bool>(), condition.length};
}

// The values of all entries as one flat column, for accumulators.
ColumnView flattened(const ColumnView& column) {
  if (!column.type.is_jagged()) return column;
  return {flat(column.type.scalar), column.num_values(), column.values, nullptr, false};
}

bool is_output(const Step& step) { return step.kind == StepKind::kFill || step.kind == StepKind::kWrite; }

}  // namespace

Evaluator::Evaluator(const Program& program, std::size_t slot, StopFlag stop)
    : program_(program),
      slot_(slot),
      stop_(stop),
      most_batch_entries_(batch_entries_of(program)),
      budget_(kBatchBytes),
      scopes_(program.scopes.size()),
      scope_is_loaded_(program.scopes.size()),
      columns_(program.schema.size()),
      views_(program.num_slots),
      buffers_(program.num_buffers),
      entries_in_scope_(program.scopes.size()) {
  for (ColumnBuffer& buffer : buffers_) buffer.attach(budget_);
  for (ColumnState& column : columns_) column.scratch.attach(budget_);
}

// Where batches end follows from the slice alone, so that what is read does not depend on the threads.
void Evaluator::run(SliceReader& reader, EntryRange slice, Portions portions) {
  reader_ = &reader;
  slice_ = slice;
  scope_is_loaded_.assign(scope_is_loaded_.size(), false);
  batch_entries_ = most_batch_entries_;
  entries_in_scope_[0] += slice.count;
  for (std::uint64_t first = 0; first < slice.count;) {
    const std::uint64_t count = std::min(batch_entries_, slice.count - first);
    run_range({first, count}, 0, portions);
    first += count;
  }
}

// What the first `num_done` steps fill and write is there already: a batch that turns out to be too large is
// run again in halves from the beginning, but for what cannot be undone.
void Evaluator::run_range(EntryRange range, std::size_t num_done, Portions portions) {
  batch_ = range;
  budget_.begin(range.count);
  try {
    run_batch_to_first_fault(num_done, portions);
    adapt_to_used_memory();
    return;
  } catch (const BatchTooLarge&) {
    num_done = std::max(num_done, current_step_);
  }
  if (budget_.holds_too_much()) release_buffers();
  const std::uint64_t half = range.count / 2;
  batch_entries_ = half;
  run_range({range.first, half}, num_done, portions);
  run_range({range.first + half, range.count - half}, num_done, portions);
}

void Evaluator::adapt_to_used_memory() {
  if (budget_.has_room()) batch_entries_ = std::min(2 * batch_entries_, most_batch_entries_);
  if (budget_.holds_too_much()) release_buffers();
}

void Evaluator::release_buffers() {
  for (ColumnBuffer& buffer : buffers_) buffer.release();
  for (ColumnState& column : columns_) column.scratch.release();
}

// Each step goes through the whole batch, so that an earlier entry may be at fault in a later step: the
// entries before the one that was found are tried alone. What they fill again does not matter, the run has
// failed.
void Evaluator::run_batch_to_first_fault(std::size_t num_done, Portions portions) {
  try {
    run_batch(num_done, portions);
  } catch (const EvaluationError& error) {
    batch_.count = error.entry() - slice_.first - batch_.first;
    if (batch_.count > 0) run_batch_to_first_fault(num_done, portions);
    throw;
  }
}

void Evaluator::run_batch(std::size_t num_done, Portions portions) {
  ++batch_number_;
  current_step_ = 0;
  scopes_[0].count = batch_.count;
  prepare(0);
  for (; current_step_ < program_.steps.size(); ++current_step_) {
    const Step& step = program_.steps[current_step_];
    const bool is_done = current_step_ < num_done;
    stop_.throw_if_set();
    if (step.kind == StepKind::kEnter)
      enter(step, !is_done);
    else if (scopes_[step.scope].count > 0 && !(is_done && is_output(step)))
      run_step(step, portions);
  }
}

void Evaluator::run_step(const Step& step, Portions portions) {
  try {
    if (step.kind == StepKind::kFill)
      fill(step);
    else if (step.kind == StepKind::kWrite)
      write(step, *portions[step.target]);
    else
      views_[step.slot] = evaluate(step);
  } catch (const EntryFault& fault) {
    if (fault.is_of_batch && batch_.count > 1) throw BatchTooLarge();
    throw PlannedEvaluationError(entry_number(step.scope, fault.index), program_.graph[step.node].text,
                                 fault.problem, step.purpose);
  } catch (const EntryTooLarge&) {
    throw PlannedEvaluationError(entry_number(step.scope, 0), program_.graph[step.node].text,
                                 "values of more than 1 GiB for one entry", step.purpose);
  }
}

ColumnView Evaluator::evaluate(const Step& step) {
  switch (step.kind) {
    case StepKind::kColumn:
      return column(step);
    case StepKind::kConstant:
      return constant(step);
    case StepKind::kEntry:
      return entry(step);
    case StepKind::kFile:
      return file(step);
    case StepKind::kNarrow:
      return narrow(step);
    case StepKind::kLoop:
      return loop(step);
    case StepKind::kKernel:
      return kernel(step);
    case StepKind::kAnd:
    case StepKind::kOr:
      return logic(step);
    case StepKind::kConditional:
      return conditional(step);
    default:
      throw InternalError("a step without a value was evaluated");
  }
}

std::uint64_t Evaluator::entry_number(ScopeId scope, std::size_t position) const {
  const std::uint32_t* in_batch = scopes_[scope].in_batch;
  return slice_.first + batch_.first + (in_batch ? in_batch[position] : position);
}

void Evaluator::enter(const Step& step, bool counts) {
  const Scope& scope = program_.scopes[step.scope];
  const ScopeState& outer = scopes_[scope.outer];
  ScopeState& state = scopes_[step.scope];
  state.count = 0;
  if (outer.count == 0) return;

  const ColumnView& condition = views_[scope.condition];
  if (condition.is_constant) {
    state.count = *condition.data<bool>() == scope.keep_when ? outer.count : 0;
    state.in_outer = nullptr;
  } else {
    std::uint32_t* positions = state.outer_positions.reserve<std::uint32_t>(outer.count);
    state.count = find_positions(flags_of(condition), scope.keep_when, positions);
    state.in_outer = positions;
  }
  if (counts) entries_in_scope_[step.scope] += state.count;
  state.is_whole_outer = state.count == outer.count;
  if (state.is_whole_outer) {
    state.in_batch = outer.in_batch;
  } else if (!outer.in_batch) {
    state.in_batch = state.in_outer;
  } else {
    std::uint32_t* positions = state.batch_positions.reserve<std::uint32_t>(state.count);
    for (std::size_t i = 0; i < state.count; ++i) positions[i] = outer.in_batch[state.in_outer[i]];
    state.in_batch = positions;
  }
  if (state.count > 0) prepare(step.scope);
}

// Columns that will be viewed for the batch: threads whose slices share pages decode them together.
void Evaluator::prepare(ScopeId scope) {
  const std::vector<std::size_t>& columns = program_.scopes[scope].columns;
  if (columns.empty()) return;
  if (!scope_is_loaded_[scope]) reader_->load(columns);
  scope_is_loaded_[scope] = true;
  reader_->prepare(columns, batch_);
}

const ColumnView& Evaluator::batch_view(std::size_t column) {
  ColumnState& state = columns_[column];
  if (state.batch == batch_number_) return state.view;
  state.view = reader_->view(column, batch_, state.scratch);
  state.batch = batch_number_;
  return state.view;
}

ColumnView Evaluator::column(const Step& step) {
  const ColumnView& view = batch_view(program_.graph[step.node].column);
  const ScopeState& scope = scopes_[step.scope];
  if (view.is_constant)
    return expand({view.type, scope.count, view.values, nullptr, true}, buffers_[step.buffer]);
  if (!scope.in_batch) return view;
  return gather(view, {scope.in_batch, scope.count}, buffers_[step.buffer]);
}

ColumnView Evaluator::constant(const Step& step) const {
  const Node& node = program_.graph[step.node];
  return {node.type, scopes_[step.scope].count, node.constant.bytes.data(), nullptr, true};
}

ColumnView Evaluator::entry(const Step& step) {
  const std::size_t count = scopes_[step.scope].count;
  std::uint64_t* numbers = buffers_[step.buffer].values.reserve<std::uint64_t>(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = entry_number(step.scope, i);
  return {flat(ScalarType::kUInt64), count, numbers, nullptr, false};
}

ColumnView Evaluator::file(const Step& step) {
  const std::size_t count = scopes_[step.scope].count;
  std::string_view* names = buffers_[step.buffer].values.reserve<std::string_view>(count);
  std::fill_n(names, count, reader_->file());
  return {flat(ScalarType::kString), count, names, nullptr, false};
}

ColumnView Evaluator::narrow(const Step& step) {
  const ScopeState& scope = scopes_[step.scope];
  const ColumnView& outer = views_[step.inputs[0]];
  if (scope.is_whole_outer) return outer;
  return gather(outer, {scope.in_outer, scope.count}, buffers_[step.buffer]);
}

std::span<const ColumnView> Evaluator::inputs_of(const Step& step) {
  inputs_.clear();
  for (const SlotId slot : step.inputs) inputs_.push_back(views_[slot]);
  return inputs_;
}

ColumnView Evaluator::loop(const Step& step) {
  const Node& node = program_.graph[step.node];
  const std::span<const ColumnView> inputs = inputs_of(step);
  check_equal_sizes(inputs);
  operands_.clear();
  for (const ColumnView& input : inputs) operands_.push_back({input.values, input.is_constant});

  ColumnView result{node.type, scopes_[step.scope].count, nullptr, nullptr, false};
  const auto is_list = [](const ColumnView& input) { return input.type.is_jagged(); };
  const auto list = std::find_if(inputs.begin(), inputs.end(), is_list);
  if (list != inputs.end()) result = shaped_like(*list, node.type);
  const std::size_t num_values = result.num_values();
  void* values = buffers_[step.buffer].values.reserve_bytes(num_values * size_of(node.type.scalar));
  result.values = values;
  try {
    node.loop(operands_.data(), values, num_values);
  } catch (EntryFault& fault) {
    // Loops count values; the entry is the one whose lists hold the value.
    if (result.offsets) fault.index = result.entry_holding_value(fault.index);
    throw;
  }
  return result;
}

ColumnView Evaluator::kernel(const Step& step) {
  const Node& node = program_.graph[step.node];
  if (node.outer_levels > 0) return kernel_on_inner_lists(step);
  const std::span<const ColumnView> inputs = inputs_of(step);
  if (node.list_sizes == ListSizes::kEqual) check_equal_sizes(inputs);
  return node.kernel({inputs, scopes_[step.scope].count, node.type, buffers_[step.buffer], node.state.get()});
}

// Each inner list is an entry for the kernel. The result has its lists in the outer lists of the inputs.
ColumnView Evaluator::kernel_on_inner_lists(const Step& step) {
  const Node& node = program_.graph[step.node];
  const int levels = node.outer_levels;
  inputs_of(step);
  check_equal_sizes(inputs_, levels);
  const ColumnView outer = deepest_of(inputs_);
  const std::size_t num_lists = outer.num_elements(levels);
  for (ColumnView& input : inputs_) input = elements_at(input, levels, num_lists);
  try {
    if (node.list_sizes == ListSizes::kEqual) check_equal_sizes(inputs_);
    const Type type{node.type.scalar, node.type.depth - levels};
    const ColumnView inner = node.kernel({inputs_, num_lists, type, buffers_[step.buffer], node.state.get()});
    return in_lists_of(outer, levels, inner);
  } catch (EntryFault& fault) {
    fault.index = outer.entry_holding(fault.index, levels);
    throw;
  }
}

ColumnView Evaluator::logic(const Step& step) {
  const ColumnView& left = views_[step.inputs[0]];
  const bool decisive = step.kind == StepKind::kOr;
  const std::size_t count = scopes_[step.scope].count;
  bool* result = buffers_[step.buffer].values.reserve<bool>(count);
  // The right side has one value for every entry that the left side left open.
  const ColumnView& right = views_[step.inputs[1]];
  const bool* right_values = right.data<bool>();
  const std::size_t step_right = right.is_constant ? 0 : 1;
  const std::span<const bool> flags = flags_of(left);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i)
    result[i] = flags[i] == decisive ? decisive : right_values[step_right * next++];
  return {flat(ScalarType::kBool), count, result, nullptr, false};
}

ColumnView Evaluator::conditional(const Step& step) {
  const std::span<const bool> flags = flags_of(views_[step.inputs[0]]);
  const auto num_first = static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true));
  // A side that no entry chose was not evaluated: its view is an old one.
  const ColumnView nothing;
  const ColumnView& first = num_first > 0 ? views_[step.inputs[1]] : nothing;
  const ColumnView& second = num_first < flags.size() ? views_[step.inputs[2]] : nothing;
  return interleave(flags, first, second, program_.graph[step.node].type, buffers_[step.buffer]);
}

// Says of lists that are filled together which of them differ.
void Evaluator::check_filled_sizes(const Step& step, std::span<const ColumnView> inputs) const {
  try {
    check_equal_sizes(inputs);
  } catch (const SizeFault& fault) {
    const auto text = [&](std::size_t column) {
      const Node& node = program_.graph[step.filled[column]];
      // A value that is repeated for each element of a list has no name, and the size of that list.
      const bool is_repeated = node.kind == NodeKind::kKernel && node.name.empty();
      return is_repeated ? program_.graph[node.inputs[1]].text : node.text;
    };
    throw PlannedEvaluationError(entry_number(step.scope, fault.index), text(fault.other),
                                 "lists of different sizes, " + std::to_string(fault.first_size) + " in \"" +
                                     text(fault.first) + "\" and " + std::to_string(fault.other_size),
                                 step.purpose);
  }
}

void Evaluator::fill(const Step& step) {
  const std::span<const ColumnView> inputs = inputs_of(step);
  check_filled_sizes(step, inputs);
  const ColumnView first = inputs.front();
  for (ColumnView& input : inputs_) input = flattened(input);
  if (inputs_.front().length == 0) return;
  const std::optional<Refusal> refused = program_.accumulators[step.target]->fill(slot_, inputs_);
  if (!refused) return;
  const std::size_t entry =
      first.type.is_jagged() ? first.entry_holding_value(refused->index) : refused->index;
  throw PlannedEvaluationError(entry_number(step.scope, entry),
                               program_.graph[step.filled[refused->column]].text, refused->problem,
                               step.purpose);
}

void Evaluator::write(const Step& step, Portion& portion) {
  inputs_of(step);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].is_constant)
      inputs_[i] = expand(inputs_[i], buffers_[program_.buffer_of_slot[step.inputs[i]]]);
  const ScopeState& scope = scopes_[step.scope];
  program_.sinks[step.target]->append(portion, {batch_, scope.in_batch, scope.count}, inputs_);
}

}  // namespace skimline
