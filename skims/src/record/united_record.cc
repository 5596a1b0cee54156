// SPDX-License-Identifier: BSD-3-Clause
#include "record/united_record.h"

#include "base/text_table.h"
#include "record/record_text.h"

#include "skimline/framework/error.h"
#include "skimline/skims/merged_record.h"
#include "skimline/skims/record_objects.h"

#include <algorithm>
#include <string>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::Histogram;

void add(const SampleRecord& sample, const Histogram& cutflow, Histogram& sum) {
  if (sum.axes.empty()) {
    sum = cutflow;
    return;
  }
  if (cutflow.axes.empty() || !have_same_bins(sum.axes[0], cutflow.axes[0]))
    throw Error("the sample " + in_quotes(sample.name) +
                " was made in different steps: its cutflows cannot be added");
  histograms::add(sum, cutflow);
}

}  // namespace

UnitedRecord united_record(const std::vector<std::shared_ptr<const io::RootFile>>& files,
                           const OverlapRule& overlap) {
  std::vector<RunRecord> records;
  io::TextsOfInputs texts{.path = kRecordPath, .texts = {}, .num_files_without = 0};
  for (const auto& file : files) {
    std::optional<RunRecord> record = file ? read_record(*file) : std::nullopt;
    if (record) texts.texts.push_back({file->path(), record_text(*record)});
    if (record) records.push_back(std::move(*record));
    texts.num_files_without += record ? 0 : 1;
  }
  if (records.empty()) return {std::nullopt, texts.num_files_without};
  if (files.size() == 1) return {std::move(records.front()), 0};
  RunRecord united = merged_record(texts, overlap);
  for (SampleRecord& sample : united.samples)
    for (const RunRecord& record : records) {
      const auto part = std::find_if(record.samples.begin(), record.samples.end(),
                                     [&](const SampleRecord& each) { return each.name == sample.name; });
      if (part == record.samples.end()) continue;
      add(sample, part->cutflow, sample.cutflow);
      add(sample, part->weighted_cutflow, sample.weighted_cutflow);
    }
  return {std::move(united), texts.num_files_without};
}

}  // namespace skimline::skims
