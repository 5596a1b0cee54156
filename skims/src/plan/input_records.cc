// SPDX-License-Identifier: BSD-3-Clause
#include "plan/input_records.h"

#include "base/text_table.h"

#include "skimline/framework/error.h"
#include "skimline/skims/config.h"
#include "skimline/skims/record_objects.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::ExactCells;
using histograms::ExactSum;
using histograms::Histogram;

constexpr const char* kInInputs = "in the inputs";

// The sum of one cell as exact as it is known.
ExactSum sum_of_cell(const Histogram& histogram, std::size_t which, std::size_t cell) {
  if (histogram.has_exact_sums && has_weights(histogram.storage)) {
    const ExactCells& cells = histogram.exact_cells[which];
    return {cells.window(), cells.parts(cell), false};
  }
  ExactSum sum;
  sum.add(std::vector<double>{histogram.sums[which][cell]});
  return sum;
}

// A cutflow of the steps `names` with the sums of these cells.
Histogram with_steps(const Histogram& histogram, const std::vector<std::string>& names,
                     const std::vector<std::size_t>& cells) {
  Histogram result = histograms::empty_histogram(histogram.name, histogram.title, {Axis::categories(names)},
                                                 histogram.storage);
  for (std::size_t which = 0; which < num_sums(result.storage); ++which)
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!has_weights(result.storage)) {
        result.sums[which][i + 1] = histogram.sums[which][cells[i]];
        continue;
      }
      const ExactSum sum = sum_of_cell(histogram, which, cells[i]);
      ExactCells single(result.num_cells());
      single.set_window(sum.window());
      single.set_parts(i + 1, sum.parts());
      result.exact_cells[which].add(single);
    }
  histograms::round_exact_sums(result);
  result.entries = histogram.entries;
  return result;
}

Histogram with_exact_sums(const Histogram& histogram) {
  std::vector<std::size_t> cells;
  for (int step = 1; step <= histogram.axes[0].num_bins(); ++step)
    cells.push_back(static_cast<std::size_t>(step));
  return with_steps(histogram, histogram.axes[0].names(), cells);
}

// The first and the last step.
Histogram ends_of(const Histogram& histogram, const std::string& first) {
  const auto last = static_cast<std::size_t>(histogram.axes[0].num_bins());
  Histogram ends = with_steps(histogram, {first, kInInputs}, {1, last});
  // A record of one step has its events in both. Sums of weights have the entries of the counts beside them.
  if (!has_weights(ends.storage))
    ends.entries = static_cast<std::uint64_t>(ends.contents()[1] + ends.contents()[2]);
  return ends;
}

const std::vector<std::string>& steps(const CarriedRecord& record) {
  return record.cutflow.counts.axes[0].names();
}

std::string weight_text(const std::string& text) { return text.empty() ? "1" : in_quotes(text); }

// Throws if the sums of two inputs cannot be added.
void check_same(const CarriedRecord& first, const CarriedRecord& other) {
  if (first.weight != other.weight)
    throw Error(first.origin.file + " carries sums of the weight " + weight_text(first.weight) + ", and " +
                other.origin.file + " those of " + weight_text(other.weight) + ": they cannot be one sample");
  if (first.cross_section_pb != other.cross_section_pb)
    throw Error(first.origin.file + " and " + other.origin.file +
                " carry different cross sections: they cannot be one sample");
}

// Leaves of all records what they have in common.
void keep_ends(std::vector<CarriedRecord>& records, const CarriedRecord& other, CarriedRecord& sum) {
  const bool begin_alike = std::all_of(records.begin(), records.end(), [&](const CarriedRecord& record) {
    return steps(record).front() == steps(records.front()).front();
  });
  const std::string first =
      begin_alike && steps(other).front() != kInInputs ? steps(other).front() : kAllEvents;
  sum.warnings.push_back("warning: " + records.front().origin.file + " and " + other.origin.file +
                         " were made in different steps: of all inputs only the first step, \"" + first +
                         "\", and what they hold are kept in the cutflow");
  for (CarriedRecord& record : records) {
    record.cutflow.counts = ends_of(record.cutflow.counts, first);
    record.cutflow.weights = ends_of(record.cutflow.weights, first);
    record.cutflow.weights.entries = record.cutflow.counts.entries;
  }
}

const SampleRecord& only_sample(const io::RootFile& file, const RunRecord& record) {
  if (record.samples.size() != 1)
    throw FileError(file.path(), "its record is of " + std::to_string(record.samples.size()) +
                                     " samples: what is read again must be of one");
  const SampleRecord& sample = record.samples.front();
  const auto is_cutflow = [](const Histogram& histogram, histograms::Storage storage) {
    return histogram.axes.size() == 1 && !histogram.axes[0].names().empty() && histogram.storage == storage;
  };
  if (!is_cutflow(sample.cutflow, histograms::Storage::kCount) ||
      !is_cutflow(sample.weighted_cutflow, histograms::Storage::kWeighted) ||
      !have_same_bins(sample.cutflow.axes[0], sample.weighted_cutflow.axes[0]))
    throw FileError(file.path(), "its record has no cutflow that can be used");
  for (const std::vector<double>& sums : sample.weighted_cutflow.sums)
    for (const double sum : sums)
      if (!(std::abs(sum) < histograms::SumWindow::kLimit))
        throw FileError(file.path(), "its record has a sum of weights that is not finite, or too large");
  return sample;
}

}  // namespace

std::optional<CarriedRecord> carried_record(const io::RootFile& file, std::uint64_t num_entries) {
  const std::optional<RunRecord> record = read_record(file);
  if (!record) return std::nullopt;
  const SampleRecord& sample = only_sample(file, *record);
  CarriedRecord carried;
  carried.origin = origin_of(file.path(), *record);
  carried.cutflow = {with_exact_sums(sample.cutflow), with_exact_sums(sample.weighted_cutflow)};
  carried.weight = sample.weight;
  carried.cross_section_pb = sample.cross_section_pb;
  for (const std::string& problem : problems_of(*record))
    carried.warnings.push_back("warning: " + file.path() + ": " + problem);
  const double last = carried.cutflow.counts.contents()[carried.cutflow.counts.num_cells() - 2];
  const bool is_whole = std::all_of(sample.files.begin(), sample.files.end(), [](const auto& skim) {
    return skim.second.second.size() == skim.second.first;
  });
  const bool has_others = is_whole && last != static_cast<double>(num_entries);
  if (has_others && record->num_files_without > 0)
    throw Error(file.path() +
                " was put together of events of which a record says what they were made from, and "
                "of others that had none: they cannot be one sample, as its normalisation would be wrong");
  if (has_others)
    carried.warnings.push_back("warning: " + file.path() + ": its record says that " +
                               std::to_string(static_cast<std::uint64_t>(last)) +
                               " events were written, and it has " + std::to_string(num_entries) +
                               ": another tool has changed it");
  return carried;
}

CarriedRecord sum_of(const std::vector<CarriedRecord>& carried) {
  std::vector<CarriedRecord> records = carried;
  CarriedRecord sum;
  for (const CarriedRecord& record : records) {
    check_same(records.front(), record);
    sum.warnings.insert(sum.warnings.end(), record.warnings.begin(), record.warnings.end());
  }
  std::vector<Origin> origins;
  for (const CarriedRecord& record : records) origins.push_back(record.origin);
  for (std::string& warning : warnings_of_missing(origins)) sum.warnings.push_back(std::move(warning));
  const auto other = std::find_if(carried.begin(), carried.end(), [&](const CarriedRecord& record) {
    return steps(record) != steps(carried.front());
  });
  if (other != carried.end()) keep_ends(records, *other, sum);
  sum.origin.file = records.front().origin.file;
  sum.weight = records.front().weight;
  sum.cross_section_pb = records.front().cross_section_pb;
  sum.cutflow = records.front().cutflow;
  for (std::size_t i = 1; i < records.size(); ++i) {
    histograms::add(sum.cutflow.counts, records[i].cutflow.counts);
    histograms::add(sum.cutflow.weights, records[i].cutflow.weights);
  }
  return sum;
}

std::vector<CarriedRecord> carried_records(const std::vector<std::string>& files,
                                           const std::vector<std::uint64_t>& num_entries,
                                           io::OpenedFiles* opened) {
  std::vector<CarriedRecord> records;
  const std::string* without = nullptr;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (std::optional<CarriedRecord> record =
            carried_record(*io::open_file(opened, files[i]).root, num_entries.at(i)))
      records.push_back(std::move(*record));
    else
      without = &files[i];
  }
  if (!records.empty() && without != nullptr)
    throw Error(records.front().origin.file + " carries a record of the events it was made from, and " +
                *without + " carries none: they cannot be one sample, as its normalisation would be wrong");
  return records;
}

}  // namespace skimline::skims
