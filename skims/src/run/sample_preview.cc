// SPDX-License-Identifier: BSD-3-Clause
#include "run/sample_preview.h"

#include "plan/mean_list_sizes.h"
#include "plan/plan_sample.h"
#include "plan/result_sizes.h"
#include "run/histogram_output.h"
#include "run/skim_output.h"
#include "run/unfilled_sink.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/axis_kinds.h"
#include "skimline/io/output_formats.h"

#include <algorithm>
#include <span>
#include <utility>

namespace skimline::skims {
namespace {

// Stands for the sinks of a run, of which none is made.
class NoSink : public UnfilledSink {
 public:
  std::unique_ptr<Portion> begin() const override { throw InternalError("a plan was run"); }
};

ColumnDemand demand_of(const io::FieldSize& size) { return {size.in_memory, size.stored, size.largest_page}; }

std::string kind_of(const histograms::Axis& axis) {
  return axis.is_category() ? "category" : std::string(traits_of(axis.kind()).name);
}

std::vector<PlannedAxis> axes_of(const HistogramConfig& config, const histograms::HistogramSpec& spec) {
  std::vector<PlannedAxis> axes;
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const histograms::Axis& axis = spec.axes[i];
    axes.push_back({config.axes[i].value.value, kind_of(axis), static_cast<std::uint64_t>(axis.num_bins()),
                    axis.is_growing(), axis.flow().circular});
  }
  return axes;
}

}  // namespace

SamplePreview::SamplePreview(const Config& config, const Sample& sample, int threads)
    : config_(config),
      sample_(sample),
      inputs_(config, sample),
      planned_(plan_sample(config, sample, inputs_, {threads, NormalisationUse::kUnread})),
      source_(*planned_->source),
      histograms_(planned_->histograms),
      job_(planned_->job) {
  report_.sample = sample.name.value;
  report_.threads = threads;
}

SamplePlan SamplePreview::plan() {
  NoSink sink;
  for (const PlannedSkim& skim : job_.skims()) job_.write(skim, sink);
  warnings_ = planned_->warnings();
  unused_names_ = job_.unused_names();
  outline_ = outline(job_.build(), mean_list_sizes(source_));
  add_input();
  for (const OutlinedEntries& entries : outline_.entries) add_events(entries);
  name_events();
  add_histograms();
  number_histograms();
  add_skims();
  sum_up_bytes();
  demand_memory();
  return std::move(report_);
}

void SamplePreview::add_input() {
  const std::vector<Input>& inputs = inputs_.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const io::InputFacts& file = source_.files()[i];
    report_.files.push_back(
        {inputs[i].location.path, file.name, file.num_entries, file.num_clusters, file.file_bytes});
  }
  report_.num_entries = source_.num_entries();
  report_.num_slices = source_.slices().size();
  for (const EntryRange& slice : source_.slices())
    report_.largest_slice = std::max(report_.largest_slice, slice.count);
  report_.num_steps = outline_.num_steps;
}

void SamplePreview::add_events(const OutlinedEntries& entries) {
  PlannedEvents events;
  events.outer = entries.outer;
  events.where = entries.condition;
  events.keep_when = entries.keep_when;
  events.is_selection = entries.is_filter;
  for (const std::size_t column : entries.columns) events.columns.push_back(column_of(column));
  for (const OutlinedNode& node : entries.nodes)
    events.values.push_back({node.definition, node.text, skimline::name_of(node.type),
                             !node.is_conversion && (!node.is_condition || !node.definition.empty())});
  events.histograms = entries.fills;
  events.skims = entries.writes;
  report_.events.push_back(std::move(events));
}

PlannedColumn SamplePreview::column_of(std::size_t column) const {
  const ColumnInfo& info = source_.schema()[column];
  return {info.name, skimline::name_of(info.type), source_.stored_bytes(column),
          source_.field_size(info.name)};
}

void SamplePreview::name_events() {
  report_.events.front().names.emplace_back(kAllEvents);
  for (std::size_t i = 0; i < config_.select.size(); ++i)
    add_name(i, &PlannedVariation::cuts, config_.select[i].name.value);
  for (std::size_t i = 0; i < config_.regions.size(); ++i)
    add_name(i, &PlannedVariation::regions, "region " + config_.regions[i].name.value);
}

// Variations have a name of their own where their events are others.
void SamplePreview::add_name(std::size_t number, std::vector<SelectionId> PlannedVariation::*selections,
                             const std::string& name) {
  const SelectionId nominal = (job_.nominal().*selections)[number];
  for (const PlannedVariation& variation : job_.variations()) {
    const SelectionId selection = (variation.*selections)[number];
    if (variation.config && selection.index == nominal.index) continue;
    report_.events[events_of(selection)].names.push_back(
        variation.config ? name + " in " + variation.config->name.value : name);
  }
}

void SamplePreview::add_histograms() {
  const std::vector<histograms::Placement>& placements = histograms_.placements();
  for (std::size_t id = 0; id < job_.booked().size(); ++id) {
    const BookedHistogram& booked = job_.booked()[id];
    const histograms::HistogramSpec& spec = histograms_.spec(id);
    PlannedHistogram planned;
    planned.name = spec.name;
    const HistogramConfig& config = *booked.key.config;
    planned.axes = axes_of(config, spec);
    if (config.profile) planned.profile = config.profile->value.value;
    planned.weight = booked.weight;
    planned.storage = traits_of(spec.storage).name;
    planned.cells = histograms::num_cells(spec.axes);
    planned.cell_bytes = placements[id].cell_bytes;
    planned.is_shared = placements[id].is_shared;
    planned.events = events_of(booked.events);
    report_.histograms.push_back(std::move(planned));
  }
}

// Several histograms may have one fill.
void SamplePreview::number_histograms() {
  std::vector<std::vector<std::size_t>> of_fill;
  for (std::size_t id = 0; id < job_.booked().size(); ++id) {
    const std::size_t fill = job_.booked()[id].fill;
    of_fill.resize(std::max(of_fill.size(), fill + 1));
    of_fill[fill].push_back(id);
  }
  for (PlannedEvents& events : report_.events) {
    std::vector<std::size_t> ids;
    for (const std::size_t fill : events.histograms)
      if (fill < of_fill.size())  // fills behind are the sums of weights
        ids.insert(ids.end(), of_fill[fill].begin(), of_fill[fill].end());
    events.histograms = std::move(ids);
  }
}

void SamplePreview::add_skims() {
  for (const PlannedSkim& skim : job_.skims()) {
    PlannedSkimFile file;
    file.name = skim.config->name.value;
    file.path = skim_path(*skim.config, sample_);
    const io::OutputFormat& format = output_format(skim.config->format);
    file.format = format.name;
    file.compression = name_of_compression(*skim.config);
    file.carried = skim.carried_names;
    file.computed = skim.computed.names();
    file.events = events_of(skim.selection);
    SkimDemand demand;
    for (const std::string& name : file.carried) {
      const io::FieldSize bytes = source_.field_size(name);
      file.bytes_to_read += static_cast<std::uint64_t>(bytes.stored);
      demand.carried += bytes.in_memory;
      if (carried_.insert(name).second) demand_.columns.push_back(demand_of(bytes));
    }
    demand.computed = outline_.written_bytes[report_.skims.size()] * static_cast<double>(report_.num_entries);
    const io::WriterSizes sizes = skim.config->settings.sizes(format.usual_sizes);
    demand.cluster = static_cast<double>(sizes.cluster_bytes);
    demand.open_pages = format.keeps_clusters
                            ? demand.cluster
                            : static_cast<double>(skim.num_columns) * static_cast<double>(sizes.page_bytes);
    demand_.skims.push_back(demand);
    report_.skims.push_back(std::move(file));
  }
}

// A field that is carried and computed with counts once.
void SamplePreview::sum_up_bytes() {
  std::set<std::string> counted;
  for (const PlannedEvents& events : report_.events)
    for (const PlannedColumn& column : events.columns)
      if (counted.insert(column.name).second) report_.most_bytes += column.bytes_stored;
  for (const PlannedColumn& column : report_.events.front().columns)
    report_.least_bytes += column.bytes_stored;
  for (const PlannedSkimFile& skim : report_.skims)
    for (const std::string& name : skim.carried)
      if (counted.insert(name).second)
        report_.most_bytes += static_cast<std::uint64_t>(source_.field_size(name).stored);
}

void SamplePreview::demand_memory() {
  double largest_result = 0, results = 0;
  for (std::size_t id = 0; id < report_.histograms.size(); ++id) {
    const PlannedHistogram& histogram = report_.histograms[id];
    (histogram.is_shared ? demand_.shared_cells : demand_.private_cells) +=
        static_cast<double>(histogram.cell_bytes);
    const auto result = static_cast<double>(result_bytes(histograms_.spec(id)));
    largest_result = std::max(largest_result, result);
    results += result;
    demand_.all_results += static_cast<double>(kept_bytes(histograms_.spec(id)));
  }
  // Of a file that is written at once, all results are kept.
  const double most = is_json(config_.output) ? results : static_cast<double>(most_result_bytes(config_));
  demand_.results = std::max(largest_result, std::min(results, most));
  demand_.batch = outline_.batch_bytes;
  std::set<std::string> counted = carried_;  // sets of events that are not in each other may share columns
  for (const PlannedEvents& events : report_.events)
    for (const PlannedColumn& column : events.columns)
      if (counted.insert(column.name).second) demand_.columns.push_back(demand_of(column.size));
  for (const io::InputFacts& file : source_.files()) demand_.metadata += file.metadata_in_memory;
  demand_.num_slices = report_.num_slices;
  demand_.slice_share = report_.num_entries == 0 ? 1
                                                 : static_cast<double>(report_.largest_slice) /
                                                       static_cast<double>(report_.num_entries);
}

}  // namespace skimline::skims
