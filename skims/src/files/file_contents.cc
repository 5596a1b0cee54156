// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/file_contents.h"

#include "plan/column_patterns.h"
#include "report/plotted_bins.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/histograms/axis_kinds.h"
#include "skimline/io/histogram_reader.h"
#include "skimline/io/input_file.h"
#include "skimline/io/open_inputs.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/inspection.h"
#include "skimline/skims/text_plot.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::Histogram;

constexpr std::size_t kSparklineWidth = 24;

AxisContents contents_of(const Histogram& histogram, std::size_t number) {
  const Axis& axis = histogram.axes[number];
  AxisContents contents{.title = axis.title(),
                        .kind = std::string(histograms::traits_of(axis.kind()).name),
                        .num_bins = axis.num_bins(),
                        .low = axis.low(),
                        .high = axis.high(),
                        .mean = std::nullopt,
                        .rms = std::nullopt};
  if (const HistogramSummaryOfAxis summary = summary_of(histogram, number); summary.has_mean) {
    contents.mean = summary.mean;
    contents.rms = summary.rms;
  }
  return contents;
}

bool is_flow_cell(const Histogram& histogram, std::size_t cell) {
  for (const Axis& axis : histogram.axes) {
    const std::size_t here = cell % axis.num_cells();
    if (here == 0 || here == axis.num_cells() - 1) return true;
    cell /= axis.num_cells();
  }
  return false;
}

// As TH1::Integral() without arguments.
double integral_of(const Histogram& histogram) {
  double sum = 0;
  for (std::size_t cell = 0; cell < histogram.contents().size(); ++cell)
    if (!is_flow_cell(histogram, cell)) sum += histogram.contents()[cell];
  return sum;
}

HistogramContents contents_of(const Histogram& histogram, const std::string& name) {
  HistogramContents contents;
  contents.name = name;
  contents.title = histogram.title;
  contents.entries = histogram.entries;
  if (!has_values(histogram.storage)) contents.integral = integral_of(histogram);
  for (std::size_t axis = 0; axis < histogram.axes.size(); ++axis)
    contents.axes.push_back(contents_of(histogram, axis));
  if (histogram.axes.size() != 1) return contents;
  contents.underflow = histogram.contents().front();
  contents.overflow = histogram.contents().back();
  contents.sparkline = sparkline(histogram, kSparklineWidth);
  contents.ascii_sparkline = sparkline(histogram, kSparklineWidth, false);
  return contents;
}

// "Muon_pt._0" is a part of "Muon_pt"; what is projected from "_collection0._0.Muon_pt" is called after its
// end.
bool is_part(const std::string& name, const std::string& pattern) {
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    if (matches_column(name.substr(0, dot), pattern)) return true;
  return matches_column(name, pattern) || matches_column(name.substr(name.rfind('.') + 1), pattern);
}

bool is_histogram_called(const std::string& name, const std::string& pattern) {
  return matches_pattern(name, pattern) || matches_pattern(name.substr(name.rfind('/') + 1), pattern);
}

// What the patterns choose, and which of them matched nothing yet.
class Choice {
 public:
  explicit Choice(const std::vector<std::string>& patterns)
      : patterns_(patterns), is_used_(patterns.size(), false) {}

  template <typename Matches>
  bool has(const std::string& name, const Matches& matches) {
    names_.push_back(name);
    bool is_chosen = patterns_.empty();
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (!matches(name, patterns_[i])) continue;
      is_used_[i] = true;
      is_chosen = true;
    }
    return is_chosen;
  }

  bool has_all() const { return patterns_.empty(); }

  void check(const std::string& path) const {
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      if (!is_used_[i])
        throw ConfigError(path + ": no column or histogram matches \"" + patterns_[i] + "\"" +
                          did_you_mean_pattern(patterns_[i], names_));
  }

 private:
  const std::vector<std::string>& patterns_;
  std::vector<bool> is_used_;
  std::vector<std::string> names_;
};

template <typename Item, typename NameOf>
void keep_chosen(std::vector<Item>& items, Choice& choice, const NameOf& name_of) {
  std::erase_if(items, [&](const Item& item) { return !choice.has(name_of(item), is_part); });
}

std::string note_of_choice(std::size_t chosen, std::size_t all, const char* what) {
  return std::to_string(chosen) + " of " + std::to_string(all) + " " + what + " are shown";
}

bool choose(NTupleInspection& ntuple, Choice& choice) {
  const std::size_t all = ntuple.fields.size();
  keep_chosen(ntuple.fields, choice, [](const FieldSummary& field) { return field.name; });
  keep_chosen(ntuple.columns, choice, [](const ColumnSummary& column) { return column.field; });
  keep_chosen(ntuple.unsupported_fields, choice, [](const io::UnsupportedField& each) { return each.name; });
  if (!choice.has_all()) ntuple.notes.push_back(note_of_choice(ntuple.fields.size(), all, "fields"));
  return choice.has_all() || !ntuple.fields.empty();
}

bool choose(TreeInspection& tree, Choice& choice) {
  const std::size_t all = tree.columns.size();
  keep_chosen(tree.columns, choice, [](const BranchSummary& column) { return column.name; });
  keep_chosen(tree.unsupported, choice, [](const io::UnsupportedField& each) { return each.name; });
  if (choice.has_all()) return true;
  keep_chosen(tree.collections, choice, [](const io::Collection& each) { return each.name; });
  tree.notes.push_back(note_of_choice(tree.columns.size(), all, "columns"));
  return !tree.columns.empty() || !tree.unsupported.empty();
}

template <typename Events>
void choose(std::vector<Events>& all, Choice& choice) {
  std::erase_if(all, [&](Events& each) { return !choose(each, choice); });
}

FileInspection inspect_json(const std::string& path) {
  FileInspection file;
  file.path = path;
  file.size = io::InputFile(path).size();
  return file;
}

// Histograms that cannot be read stay among the objects, which say why.
void take_histograms(const HistogramFile& source, Choice& choice, FileContents& contents) {
  std::vector<ObjectSummary>& objects = contents.file.objects;
  std::unordered_map<std::string, ObjectSummary*> found;
  for (ObjectSummary& object : objects) found.emplace(object.path, &object);
  std::unordered_set<std::string> taken;
  for (const std::string& name : source.names()) {
    if (!choice.has(name, is_histogram_called)) continue;
    const auto object = found.find(name);
    try {
      contents.histograms.push_back(contents_of(source.read(name), name));
      if (object == found.end()) continue;
      contents.histograms.back().class_name = object->second->class_name;
      taken.insert(name);
    } catch (const FileError& error) {
      if (object == found.end()) throw;
      object->second->problem = error.what();
    }
  }
  std::erase_if(objects, [&](const ObjectSummary& object) { return taken.contains(object.path); });
}

// The columns of a source that are wanted, but for those that stand for others.
std::vector<std::size_t> chosen_columns(const io::InputSource& source, const ContentsOptions& options) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < source.schema().size(); ++i)
    if (Choice(options.patterns).has(source.schema()[i].name, is_part)) columns.push_back(i);
  return columns;
}

EventContents events_of(const io::InputLocation& location, const ContentsOptions& options) {
  EventContents events;
  events.name = location.name;
  if (options.has_ranges) {
    const std::unique_ptr<io::InputSource> source = io::open_inputs({location});
    events.ranges = ranges_of(*source, chosen_columns(*source, options));
  }
  if (options.head == 0) return events;
  const std::unique_ptr<io::InputSource> source = io::open_inputs({location});
  const std::vector<std::size_t> columns = chosen_columns(*source, options);
  for (const std::size_t column : columns) events.columns.push_back(source->schema()[column].name);
  events.entries = first_entries(*source, columns, options.head);
  return events;
}

void add_events(FileContents& contents, const ContentsOptions& options) {
  const auto add = [&](const std::string& name) {
    contents.events.push_back(events_of({contents.file.path, name}, options));
  };
  for (const NTupleInspection& ntuple : contents.file.ntuples) add(ntuple.name);
  for (const TreeInspection& tree : contents.file.trees) add(tree.name);
}

}  // namespace

FileContents inspect_contents(const std::string& location, const ContentsOptions& options) {
  const io::InputLocation place = io::parse_location(location);
  FileContents contents;
  contents.file = is_uhi_json(location) ? inspect_json(location) : inspect_file(location);
  Choice choice(options.patterns);
  choose(contents.file.ntuples, choice);
  choose(contents.file.trees, choice);
  const bool has_objects = is_uhi_json(location) || !contents.file.objects.empty();
  if (place.name.empty() && has_objects) take_histograms(HistogramFile(contents.file.path), choice, contents);
  if (!choice.has_all())
    std::erase_if(contents.file.objects,
                  [&](const ObjectSummary& object) { return !choice.has(object.path, is_histogram_called); });
  choice.check(contents.file.path);
  if (options.has_ranges || options.head > 0)
    run_with_threads(options.threads > 0 ? options.threads : default_threads(),
                     [&] { add_events(contents, options); });
  return contents;
}

}  // namespace skimline::skims
