// SPDX-License-Identifier: BSD-3-Clause
// Runs the steps of a program over the batches of one slice after another. One per thread.
#pragma once

#include "base/batch_budget.h"
#include "engine/program.h"

#include "skimline/framework/source.h"
#include "skimline/framework/stop_flag.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace skimline {

class Evaluator {
 public:
  /// `slot` is the thread's own number, passed to the accumulators. The program must outlive the
  /// evaluator.
  Evaluator(const Program& program, std::size_t slot, StopFlag stop = {});

  /// Evaluates a slice whose first entry is number `slice.first` of the source. `portions` has one portion
  /// for each sink. Throws EvaluationError naming the global entry, and Interrupted between two steps of a
  /// batch once `stop` is set.
  void run(SliceReader& reader, EntryRange slice, std::span<const std::unique_ptr<Portion>> portions);

  /// Entries seen in each scope so far.
  const std::vector<std::uint64_t>& entries_in_scope() const { return entries_in_scope_; }

 private:
  // The entries of a batch that a scope holds now.
  struct ScopeState {
    std::size_t count = 0;
    bool is_whole_outer = true;               // all entries of the outer scope
    const std::uint32_t* in_outer = nullptr;  // positions in the outer scope; unset if is_whole_outer
    const std::uint32_t* in_batch = nullptr;  // positions in the batch; unset if all of the batch
    Buffer outer_positions;
    Buffer batch_positions;
  };
  struct ColumnState {
    ColumnView view;
    std::uint64_t batch = 0;  // number of the batch that `view` shows; 0 is none
    ColumnBuffer scratch;
  };

  using Portions = std::span<const std::unique_ptr<Portion>>;

  void run_range(EntryRange range, std::size_t num_done, Portions portions);
  void run_batch_to_first_fault(std::size_t num_done, Portions portions);
  void run_batch(std::size_t num_done, Portions portions);
  void adapt_to_used_memory();
  void release_buffers();
  void run_step(const Step& step, Portions portions);
  ColumnView evaluate(const Step& step);
  void enter(const Step& step, bool counts);
  void prepare(ScopeId scope);
  const ColumnView& batch_view(std::size_t column);
  ColumnView column(const Step& step);
  ColumnView constant(const Step& step) const;
  ColumnView entry(const Step& step);
  ColumnView file(const Step& step);
  ColumnView narrow(const Step& step);
  ColumnView loop(const Step& step);
  ColumnView kernel(const Step& step);
  ColumnView kernel_on_inner_lists(const Step& step);
  ColumnView logic(const Step& step);
  ColumnView conditional(const Step& step);
  void check_filled_sizes(const Step& step, std::span<const ColumnView> inputs) const;
  void fill(const Step& step);
  void write(const Step& step, Portion& portion);
  std::span<const ColumnView> inputs_of(const Step& step);
  std::uint64_t entry_number(ScopeId scope, std::size_t position) const;

  const Program& program_;
  const std::size_t slot_;
  StopFlag stop_;
  const std::uint64_t most_batch_entries_;
  std::uint64_t batch_entries_ = 0;  // of the next batches of the slice
  BatchBudget budget_;
  SliceReader* reader_ = nullptr;
  EntryRange slice_;
  EntryRange batch_;              // within the slice
  std::size_t current_step_ = 0;  // its number
  std::uint64_t batch_number_ = 0;
  std::vector<ScopeState> scopes_;
  std::vector<bool> scope_is_loaded_;
  std::vector<ColumnState> columns_;
  std::vector<ColumnView> views_;      // by slot
  std::vector<ColumnBuffer> buffers_;  // by the number that steps have
  std::vector<ColumnView> inputs_;
  std::vector<Operand> operands_;
  std::vector<std::uint64_t> entries_in_scope_;
};

}  // namespace skimline
