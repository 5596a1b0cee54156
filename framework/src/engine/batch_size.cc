// SPDX-License-Identifier: BSD-3-Clause
#include "engine/batch_size.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace skimline {
namespace {

constexpr std::uint64_t kBatchEntries = 4096;
constexpr std::uint64_t kBatchEntriesIfExpanding = 1024;
// Buffers that grow have more room than the batch takes that they grew for.
constexpr double kGrowth = 2;

// What the values of slots take for an entry, in the mean.
class ValueSizes {
 public:
  ValueSizes(const Program& program, const ValuesPerEntry& of_column)
      : graph_(program.graph),
        of_column_(of_column),
        counts_(program.num_slots, 1),
        bytes_(program.num_slots, 0) {
    for (const Step& step : program.steps) {
      if (!has_slot(step)) continue;
      counts_[step.slot] = count(step);
      bytes_[step.slot] = counts_[step.slot] * static_cast<double>(size_of(graph_[step.node].type.scalar));
    }
  }

  double bytes(SlotId slot) const { return bytes_[slot]; }

 private:
  double count(const Step& step) const {
    const Node& node = graph_[step.node];
    if (!node.type.is_jagged()) return 1;
    if (node.kind == NodeKind::kColumn) return of_column_ ? std::max(1.0, of_column_(node.column)) : 1;
    double longest = 1, product = 1;
    for (const SlotId input : step.inputs) {
      longest = std::max(longest, counts_[input]);
      product *= counts_[input];
    }
    // Pairs of one list, or of two.
    return node.expands ? std::max(product, longest * longest) : longest;
  }

  const Graph& graph_;
  const ValuesPerEntry& of_column_;
  std::vector<double> counts_, bytes_;  // by slot
};

}  // namespace

std::uint64_t batch_entries_of(const Program& program) {
  for (const Step& step : program.steps)
    if (step.kind == StepKind::kKernel && program.graph[step.node].expands) return kBatchEntriesIfExpanding;
  return kBatchEntries;
}

// Each buffer once, for the largest of what lies there in turn, and each column, of which a batch may need a
// copy in one piece.
double batch_bytes_of(const Program& program, const ValuesPerEntry& values_per_entry) {
  const ValueSizes sizes(program, values_per_entry);
  std::vector<double> of_buffer(program.num_buffers, 0);
  std::set<std::size_t> columns;
  double per_entry = 0;
  for (const Step& step : program.steps) {
    if (!has_slot(step)) continue;
    of_buffer[step.buffer] = std::max(of_buffer[step.buffer], sizes.bytes(step.slot));
    if (step.kind == StepKind::kColumn && columns.insert(program.graph[step.node].column).second)
      per_entry += sizes.bytes(step.slot);
  }
  per_entry = std::accumulate(of_buffer.begin(), of_buffer.end(), per_entry);
  return kGrowth * std::min(per_entry * static_cast<double>(batch_entries_of(program)),
                            std::max(per_entry, static_cast<double>(kBatchBytes)));
}

std::vector<double> written_bytes_of(const Plan& plan, const ValuesPerEntry& values_per_entry) {
  const Program& program = plan.program();
  const ValueSizes sizes(program, values_per_entry);
  std::vector<double> written(program.sinks.size(), 0);
  for (const Step& step : program.steps)
    if (step.kind == StepKind::kWrite)
      for (const SlotId input : step.inputs) written[step.target] += sizes.bytes(input);
  return written;
}

}  // namespace skimline
