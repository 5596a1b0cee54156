// SPDX-License-Identifier: BSD-3-Clause
// What in a record does not fit together.
#include "record/record_inputs.h"

#include "skimline/skims/run_record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {
namespace {

bool have_same_steps(const SampleRecord& sample) {
  return sample.cutflow.axes.size() == 1 && sample.weighted_cutflow.axes.size() == 1 &&
         have_same_bins(sample.cutflow.axes[0], sample.weighted_cutflow.axes[0]);
}

std::string whole_number(double count) { return std::to_string(static_cast<std::uint64_t>(count)); }

void add_problems(const SampleRecord& sample, std::vector<std::string>& problems) {
  const std::string front = "sample \"" + sample.name + "\": ";
  if (!have_same_steps(sample)) {
    problems.push_back(front + "its cutflows are missing or have different steps");
    return;
  }
  const std::vector<double>& counts = sample.cutflow.contents();
  const std::size_t cell = sample.num_carried_steps + 1;
  const std::uint64_t processed = num_processed(sample.inputs);
  if (cell + 1 >= counts.size()) {
    problems.push_back(front + "its cutflow has fewer steps than its inputs carry");
  } else if (counts[cell] != static_cast<double>(processed)) {
    problems.push_back(front + "its cutflow counts " + whole_number(counts[cell]) +
                       " entries, while its inputs say that " + std::to_string(processed) +
                       " were processed: another tool changed one and not the other");
  }
  for (std::size_t i = 1; i < sample.inputs.size(); ++i) {
    const InputRecord& input = sample.inputs[i];
    const InputRecord& before = sample.inputs[i - 1];
    if (input.file == before.file && input.ntuple == before.ntuple && input.uuid == before.uuid &&
        input.num_entries == before.num_entries)
      problems.push_back(front + std::to_string(num_processed({input})) + " entries of \"" + input.ntuple +
                         "\" in " + input.file + " were processed more than once");
  }
}

}  // namespace

std::vector<std::string> problems_of(const RunRecord& record) {
  std::vector<std::string> problems;
  if (record.num_files_without > 0)
    problems.push_back(std::to_string(record.num_files_without) +
                       (record.num_files_without == 1 ? " file was" : " files were") +
                       " merged that had no record: histograms hold more than the record says");
  for (const SampleRecord& sample : record.samples) add_problems(sample, problems);
  return problems;
}

}  // namespace skimline::skims
