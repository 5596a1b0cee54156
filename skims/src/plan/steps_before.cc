// SPDX-License-Identifier: BSD-3-Clause
#include "plan/steps_before.h"

#include "base/text_table.h"
#include "plan/input_origins.h"
#include "plan/job_source.h"
#include "plan/nano_runs.h"

#include "skimline/framework/error.h"
#include "skimline/io/opened_files.h"

#include <set>
#include <utility>

namespace skimline::skims {
namespace {

using histograms::ExactCells;
using histograms::Histogram;

void clear(Histogram& histogram) {
  const Histogram empty =
      histograms::empty_histogram(histogram.name, histogram.title, histogram.axes, histogram.storage);
  const std::string value_title = histogram.value_title;
  histogram = empty;
  histogram.value_title = value_title;
}

std::vector<std::uint64_t> sizes_of(const SampleInputs& inputs) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < inputs.inputs().size(); ++i) sizes.push_back(inputs.num_entries(i));
  return sizes;
}

std::optional<CarriedRecord> carried(const Sample& sample, const SampleInputs& inputs) {
  std::vector<std::string> files;
  for (const Input& input : inputs.inputs()) files.push_back(input.location.path);
  std::vector<CarriedRecord> records =
      carried_records(files, sizes_of(inputs), inputs.config().opened_files.get());
  if (records.empty()) return std::nullopt;
  std::vector<Origin> origins;
  for (const CarriedRecord& record : records) origins.push_back(record.origin);
  check_origins(sample, inputs, origins);
  // Parts have the steps of the whole.
  const std::vector<bool> is_counted = inputs.counted_beside(Beside::kFile);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (is_counted[i]) continue;
    clear(records[i].cutflow.counts);
    clear(records[i].cutflow.weights);
  }
  return sum_of(records);
}

std::vector<Origin> origins_of(const SampleInputs& inputs) {
  std::vector<Origin> origins;
  for (const Input& input : inputs.inputs())
    origins.push_back(origin_of(*inputs.config().opened_files->open(input.location.path).root));
  return origins;
}

// Of skims, whose other sums nobody asks for.
std::optional<double> cross_section_of(const Sample& sample, const std::vector<Origin>& origins) {
  std::set<double> all;
  for (const Origin& origin : origins)
    all.insert(origin.cross_sections_pb.begin(), origin.cross_sections_pb.end());
  if (all.size() > 1)
    throw Error("the inputs of the sample " + in_quotes(sample.name.value) + " carry cross sections of " +
                exact_number(*all.begin()) + " and " + exact_number(*all.rbegin()) +
                " pb: they cannot be one sample");
  return all.empty() ? std::nullopt : std::optional(*all.begin());
}

void set_cell(Histogram& histogram, std::size_t which, const histograms::ExactSum& sum) {
  ExactCells& cells = histogram.exact_cells[which];
  cells.set_window(sum.window());
  cells.set_parts(kFirstStep, sum.parts());
}

// Skims have the sums in "Runs" of all that they were made from; of parts of a whole some have none.
CarriedRecord sum_of_runs(const Sample& sample, const SampleInputs& inputs) {
  const std::vector<Origin> origins = origins_of(inputs);
  check_origins(sample, inputs, origins);
  RunsSums sums;
  const std::vector<bool> is_counted = inputs.counted_beside(Beside::kFolder);
  for (std::size_t i = 0; i < inputs.inputs().size(); ++i) {
    const io::InputLocation& location = inputs.inputs()[i].location;
    const std::optional<RunsSums> of_file = sums_of_runs(location, input_options(inputs.config()));
    if (!of_file && !origins[i].is_part())
      throw FileError(location.path, "has no sums of weights in \"Runs\", which the sample " +
                                         in_quotes(sample.name.value) + " asks for");
    if (of_file && is_counted[i]) sums.add(*of_file);
  }
  CarriedRecord record;
  record.origin.file = "Runs";
  record.cross_section_pb = cross_section_of(sample, origins);
  record.warnings = warnings_of_missing(origins);
  record.weight = sample.sum_weights->weight.value;
  record.cutflow = empty_cutflow({kAllEvents});
  record.cutflow.counts.sums[0][kFirstStep] = static_cast<double>(sums.num_events);
  record.cutflow.counts.entries = record.cutflow.weights.entries = sums.num_events;
  set_cell(record.cutflow.weights, 0, sums.sum_weights);
  set_cell(record.cutflow.weights, 1, sums.sum_of_squares);
  histograms::round_exact_sums(record.cutflow.counts);
  histograms::round_exact_sums(record.cutflow.weights);
  return record;
}

void check(const Sample& sample, const CarriedRecord& record) {
  const std::string of_sample = "the inputs of the sample " + in_quotes(sample.name.value) + " carry ";
  if (sample.cross_section_pb && record.cross_section_pb &&
      *sample.cross_section_pb != *record.cross_section_pb)
    throw Error(of_sample + "a cross section of " + exact_number(*record.cross_section_pb) +
                " pb, the config gives " + exact_number(*sample.cross_section_pb) + " pb");
  if (sample.sum_weights && sample.sum_weights->weight.value != record.weight)
    throw Error(of_sample + (record.weight.empty() ? "no weights" : "sums of " + in_quotes(record.weight)) +
                ", the config sums up " + in_quotes(sample.sum_weights->weight.value));
}

}  // namespace

std::optional<CarriedRecord> steps_before(const Sample& sample, const SampleInputs& inputs) {
  const bool uses_runs = sample.sum_weights && sample.sum_weights->kind == WeightSumConfig::Kind::kRuns;
  std::optional<CarriedRecord> record = uses_runs ? sum_of_runs(sample, inputs) : carried(sample, inputs);
  if (!record) return std::nullopt;
  check(sample, *record);
  if (!inputs.has_whole_files())
    record->warnings.push_back("warning: the limit of events cuts a file of the sample " +
                               in_quotes(sample.name.value) +
                               " in two, whose sums of weights are known as a whole only: the cutflow begins "
                               "with those of the whole file");
  return record;
}

std::vector<std::string> warnings_of_origins(const Sample& sample, const SampleInputs& inputs) {
  const std::vector<Origin> origins = origins_of(inputs);
  check_origins(sample, inputs, origins);
  return warnings_of_missing(origins);
}

std::optional<Text> summed_weight(const Sample& sample, const std::optional<CarriedRecord>& before) {
  if (sample.sum_weights) return sample.sum_weights->weight;
  if (before && !before->weight.empty()) return Text{before->weight, sample.name.location};
  return std::nullopt;
}

}  // namespace skimline::skims
