// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/diff.h"

#include "base/text_table.h"
#include "files/object_diff.h"
#include "files/other_bins.h"
#include "files/tolerance.h"
#include "files/value_text.h"
#include "plan/column_patterns.h"
#include "record/record_steps.h"
#include "report/plotted_bins.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/schema.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using histograms::Axis;
using Json = nlohmann::ordered_json;
using histograms::Histogram;

// More are only counted.
constexpr std::size_t kShownCells = 3;
constexpr std::array kSumNames{"content", "sum of squared weights", "sum of values", "sum of squared values"};

std::string cell_name(const Histogram& histogram, std::size_t cell) {
  std::string name;
  for (const Axis& axis : histogram.axes) {
    const std::size_t here = cell % axis.num_cells();
    cell /= axis.num_cells();
    name += (name.empty() ? "" : ", ") +
            (here == 0                      ? std::string("underflow")
             : here == axis.num_cells() - 1 ? std::string("overflow")
                                            : "bin " + std::to_string(here) + " " + bin_name(axis, here - 1));
  }
  return name;
}

class HistogramComparison {
 public:
  // Files of UHI JSON have no sums of positions.
  HistogramComparison(const Histogram& left, const Histogram& right, const Tolerance& tolerance,
                      bool have_positions)
      : left_(left), right_(right), tolerance_(tolerance), have_positions_(have_positions) {}

  HistogramDifference compare() {
    difference_.name = left_.name;
    if (left_.axes.size() != right_.axes.size())
      add(std::to_string(left_.axes.size()) + " axes, and " + std::to_string(right_.axes.size()));
    else
      compare_axes();
    if (difference_.problems.empty()) compare_contents();
    return std::move(difference_);
  }

 private:
  void add(const std::string& problem) { difference_.problems.push_back(problem); }

  void compare_axes() {
    for (std::size_t i = 0; i < left_.axes.size(); ++i)
      if (!have_same_bins(left_.axes[i], right_.axes[i]))
        add("axis " + std::to_string(i) + " has other bins: " + other_bins(left_.axes[i], right_.axes[i]));
  }

  void compare_contents() {
    compare_texts();
    if (left_.entries != right_.entries)
      add("entries: " + std::to_string(left_.entries) + ", and " + std::to_string(right_.entries));
    if (left_.storage != right_.storage && (has_values(left_.storage) || has_values(right_.storage)))
      return add("one is a profile");
    for (std::size_t sum = 0; sum < std::max(num_sums(left_.storage), num_sums(right_.storage)); ++sum)
      compare_cells(sum);
    for (std::size_t axis = 0; axis < left_.axes.size() && have_positions_; ++axis) compare_positions(axis);
    if (!difference_.problems.empty()) difference_.compatibility = compatibility_of(left_, right_);
  }

  void compare_texts() {
    if (left_.title != right_.title)
      add("title: " + in_quotes(left_.title) + ", and " + in_quotes(right_.title));
    for (std::size_t i = 0; i < left_.axes.size(); ++i)
      if (left_.axes[i].title() != right_.axes[i].title())
        add("label of axis " + std::to_string(i) + ": " + in_quotes(left_.axes[i].title()) + ", and " +
            in_quotes(right_.axes[i].title()));
    if (left_.value_title != right_.value_title)
      add("label of the contents: " + in_quotes(left_.value_title) + ", and " +
          in_quotes(right_.value_title));
  }

  // Counts are their own squared errors.
  static const std::vector<double>& sums_of(const Histogram& histogram, std::size_t sum) {
    return sum == histograms::kWeightSquared ? histogram.variances() : histogram.sums[sum];
  }

  void compare_cells(std::size_t sum) {
    const std::vector<double>&left = sums_of(left_, sum), &right = sums_of(right_, sum);
    std::size_t num_differing = 0;
    for (std::size_t cell = 0; cell < left.size(); ++cell) {
      if (tolerance_.are_equal(left[cell], right[cell])) continue;
      if (++num_differing <= kShownCells)
        add(std::string(kSumNames[sum]) + " of " + cell_name(left_, cell) + ": " + number_text(left[cell]) +
            ", and " + number_text(right[cell]));
    }
    if (num_differing > kShownCells)
      add(std::string(kSumNames[sum]) + " of " + counted(num_differing - kShownCells, "more cell") + " of " +
          format_count(left.size()));
  }

  // What means and widths are made of, which see more than bins do.
  void compare_positions(std::size_t axis) {
    const auto &left = left_.statistics, &right = right_.statistics;
    if (left.position.size() <= axis || right.position.size() <= axis || left_.axes[axis].is_category())
      return;
    const double furthest = std::max(std::abs(left_.axes[axis].low()), std::abs(left_.axes[axis].high()));
    const auto compare = [&](const std::string& what, double one, double other, double largest) {
      if (one == other || (std::isnan(one) && std::isnan(other))) return;
      if (std::abs(one - other) <= rounding() * largest) return;
      add("sum of " + what + " on axis " + std::to_string(axis) + ": " + number_text(one) + ", and " +
          number_text(other));
    };
    compare("positions", left.position[axis], right.position[axis], furthest);
    compare("squared positions", left.position_squared[axis], right.position_squared[axis],
            furthest * furthest);
  }

  // The sums depend on the order of the fills, in which no more than this part of all weights is lost.
  double rounding() const {
    constexpr double kRounding = 1e-10;
    double weights = 0;
    for (const Histogram* each : {&left_, &right_}) {
      const double squares = std::accumulate(each->variances().begin(), each->variances().end(), 0.0);
      weights = std::max(weights, std::sqrt(squares * static_cast<double>(each->entries)));
    }
    return std::max(tolerance_.relative(), kRounding) * weights;
  }

  const Histogram& left_;
  const Histogram& right_;
  const Tolerance& tolerance_;
  const bool have_positions_;
  HistogramDifference difference_;
};

// Records of runs, sample by sample.
class RecordComparison {
 public:
  RecordComparison(const RunRecord& left, const RunRecord& right, const Tolerance& tolerance)
      : left_(left), right_(right), tolerance_(tolerance) {}

  std::vector<std::string> compare() {
    if (left_.version != right_.version) add("version: " + left_.version + ", and " + right_.version);
    compare_configs();
    for (const SampleRecord& sample : left_.samples)
      if (const SampleRecord* other = find(right_, sample.name))
        compare_samples(sample, *other);
      else
        add("sample " + in_quotes(sample.name) + " is in the first only");
    for (const SampleRecord& sample : right_.samples)
      if (!find(left_, sample.name)) add("sample " + in_quotes(sample.name) + " is in the second only");
    return std::move(problems_);
  }

 private:
  void add(const std::string& problem) { problems_.push_back(problem); }

  static const SampleRecord* find(const RunRecord& record, const std::string& name) {
    for (const SampleRecord& sample : record.samples)
      if (sample.name == name) return &sample;
    return nullptr;
  }

  void compare_configs() {
    if (left_.configs.size() != right_.configs.size())
      return add(counted(left_.configs.size(), "config") + ", and " + std::to_string(right_.configs.size()));
    for (std::size_t i = 0; i < left_.configs.size(); ++i) {
      const Json changes = Json::diff(Json::parse(left_.configs[i]), Json::parse(right_.configs[i]));
      for (const Json& change : changes)
        add("config: " + change["op"].get<std::string>() + " " + change["path"].get<std::string>() +
            (change.contains("value")
                 ? ": " + change["value"].dump(-1, ' ', false, Json::error_handler_t::replace)
                 : ""));
    }
  }

  void compare_samples(const SampleRecord& left, const SampleRecord& right) {
    const std::string what = "sample " + in_quotes(left.name) + ": ";
    if (left.cross_section_pb != right.cross_section_pb) add(what + "another cross section");
    if (left.metadata != right.metadata) add(what + "other metadata");
    if (left.weight != right.weight) add(what + "sums of another weight");
    if (left.normalisation != right.normalisation) add(what + "another normalisation");
    if (left.inputs.size() != right.inputs.size())
      add(what + counted(left.inputs.size(), "input") + ", and " + std::to_string(right.inputs.size()));
    compare_inputs(what, by_identity(left.inputs), by_identity(right.inputs));
    compare_steps(what, steps_of(left), steps_of(right));
  }

  // Files may have been renamed.
  static std::vector<InputRecord> by_identity(std::vector<InputRecord> inputs) {
    std::stable_sort(inputs.begin(), inputs.end(), [](const InputRecord& a, const InputRecord& b) {
      return std::tie(a.uuid, a.ntuple, a.num_entries) < std::tie(b.uuid, b.ntuple, b.num_entries);
    });
    return inputs;
  }

  static bool have_same_entries(const std::vector<EntryRange>& left, const std::vector<EntryRange>& right) {
    const auto is_same = [](const EntryRange& a, const EntryRange& b) {
      return a.first == b.first && a.count == b.count;
    };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), is_same);
  }

  void compare_inputs(const std::string& what, const std::vector<InputRecord>& left,
                      const std::vector<InputRecord>& right) {
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
      if (left[i].uuid != right[i].uuid || left[i].num_entries != right[i].num_entries)
        add(what + "input " + left[i].file + " is not " + right[i].file);
      else if (!have_same_entries(left[i].processed, right[i].processed))
        add(what + "other entries of " + left[i].file + " were processed");
  }

  void compare_steps(const std::string& what, const std::vector<RecordedStep>& left,
                     const std::vector<RecordedStep>& right) {
    if (left.size() != right.size()) return add(what + "other steps of the cutflow");
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::string step = what + "step " + in_quotes(left[i].name) + ": ";
      if (left[i].name != right[i].name) add(step + "the second has " + in_quotes(right[i].name));
      if (left[i].num_events != right[i].num_events)
        add(step + number_text(left[i].num_events) + " events, and " + number_text(right[i].num_events));
      if (!tolerance_.are_equal(left[i].sum_weights, right[i].sum_weights))
        add(step + "sum of weights " + number_text(left[i].sum_weights) + ", and " +
            number_text(right[i].sum_weights));
    }
  }

  const RunRecord& left_;
  const RunRecord& right_;
  const Tolerance& tolerance_;
  std::vector<std::string> problems_;
};

bool is_included(const std::string& name, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return matches_pattern(name, pattern);
         });
}

std::vector<std::string> compare_records(const HistogramFile& left, const HistogramFile& right,
                                         const Tolerance& tolerance) {
  const std::optional<RunRecord> first = left.record(), second = right.record();
  if (!first && !second) return {};
  if (!first || !second) return {std::string("only the ") + (first ? "first" : "second") + " has a record"};
  return RecordComparison(*first, *second, tolerance).compare();
}

// The RNTuples and TTrees of two files.
class EventsOfFiles {
 public:
  EventsOfFiles(const HistogramFile& left, const HistogramFile& right, const DiffOptions& options)
      : left_path_(left.path()),
        right_path_(right.path()),
        left_(data_names_of(left)),
        right_(data_names_of(right)),
        options_(options) {}

  // Those that the locations name, or else those with the same name.
  void compare(const std::string& left, const std::string& right, DiffReport& report) {
    compare_all(left, right, report);
    if (!options_.key.empty() && !has_key_) refuse_key(report);
  }

 private:
  void compare_all(const std::string& left, const std::string& right, DiffReport& report) {
    if (!left.empty() || !right.empty()) return compare_named(left, right, report);
    for (const std::string& name : left_)
      if (contains(right_, name))
        compare_named(name, name, report);
      else if (is_chosen(left_path_, name))
        report.only_left.push_back(name);
    for (const std::string& name : right_)
      if (!contains(left_, name) && is_chosen(right_path_, name)) report.only_right.push_back(name);
  }

  [[noreturn]] void refuse_key(const DiffReport& report) const {
    if (report.events.empty()) throw ConfigError("there are no events to be matched by a key");
    throw ConfigError("no events have the key: " + problem_with_key_);
  }

  static std::vector<std::string> data_names_of(const HistogramFile& file) {
    return file.root() ? io::data_names(*file.root()) : std::vector<std::string>();
  }
  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  bool is_chosen(const std::string& path, const std::string& name) const {
    return options_.include.empty() || has_column(*io::open_inputs({{path, name}}), options_.include);
  }

  // What has not the key, such as "Runs", is compared as it follows each other.
  std::vector<std::string> key_for(const io::InputSource& left, const io::InputSource& right) {
    if (options_.key.empty()) return {};
    const std::optional<std::string> first = problem_with_key(left, options_.key),
                                     second = problem_with_key(right, options_.key);
    if (first.has_value() != second.has_value())
      throw ConfigError((first ? left : right).files().front().path + ": " + (first ? *first : *second));
    if (first) {
      problem_with_key_ = *first;
      return {};
    }
    has_key_ = true;
    return options_.key;
  }

  void compare_named(const std::string& left, const std::string& right, DiffReport& report) {
    const auto open = [](const std::string& path, const std::string& name) {
      return io::open_inputs({{path, name}});
    };
    const std::unique_ptr<io::InputSource> first = open(left_path_,
                                                        left.empty() ? default_name(left_, right) : left),
                                           second = open(right_path_,
                                                         right.empty() ? default_name(right_, left) : right);
    if (!has_column(*first, options_.include) && !has_column(*second, options_.include)) return;
    report.events.push_back(compare_events(*first, *second,
                                           {.include = options_.include,
                                            .relative = options_.relative,
                                            .ulps = options_.ulps,
                                            .key = key_for(*first, *second),
                                            .threads = options_.threads}));
  }

  // What stands for a name that is not given: the same one, else the only one of the file.
  static std::string default_name(const std::vector<std::string>& names, const std::string& other) {
    return contains(names, other) ? other : "";
  }

  const std::string &left_path_, &right_path_;
  const std::vector<std::string> left_, right_;
  const DiffOptions& options_;
  bool has_key_ = false;
  std::string problem_with_key_;
};

std::vector<std::string> all_names(const HistogramFile& left, const HistogramFile& right) {
  std::vector<std::string> names = left.names();
  names.insert(names.end(), right.names().begin(), right.names().end());
  return names;
}

[[noreturn]] void refuse_nothing(const DiffOptions& options, const std::vector<std::string>& names) {
  if (options.include.empty())
    throw ConfigError("neither file has histograms or events, which is what is compared");
  throw ConfigError("no histogram or column matches \"" + options.include.front() + "\"" +
                    did_you_mean_pattern(options.include.front(), names));
}

void compare_histograms(const HistogramFile& left, const HistogramFile& right, const DiffOptions& options,
                        DiffReport& report) {
  const Tolerance tolerance(options.relative, options.ulps);
  const bool have_positions = left.root() && right.root();
  for (const std::string& name : left.names()) {
    if (!is_included(name, options.include)) continue;
    if (!right.contains(name)) {
      report.only_left.push_back(name);
      continue;
    }
    const std::optional<Histogram> first = left.read(name, report.not_compared);
    if (!first) continue;
    const std::optional<Histogram> second = right.read(name, report.not_compared);
    if (!second) continue;
    ++report.num_compared;
    HistogramDifference difference =
        HistogramComparison(*first, *second, tolerance, have_positions).compare();
    if (!difference.problems.empty()) report.differing.push_back(std::move(difference));
  }
  for (const std::string& name : right.names())
    if (is_included(name, options.include) && !left.contains(name)) report.only_right.push_back(name);
}

void compare_objects(const HistogramFile& left, const HistogramFile& right, const DiffOptions& options,
                     DiffReport& report) {
  if (!left.root() || !right.root()) return;
  const auto is_wanted = [&](const std::string& name) { return is_included(name, options.include); };
  for (std::string& each : differing_objects(*left.root(), *right.root(), is_wanted))
    report.not_compared.push_back(std::move(each));
}

// UHI JSON has no events, and names may hold anything.
io::InputLocation place_of(const std::string& location) {
  return is_uhi_json(location) ? io::InputLocation{location, ""} : io::parse_location(location);
}

std::string list_text(const std::vector<std::string>& names, const std::string& path) {
  std::string text;
  for (const std::string& name : names) text += "only in " + shown(path) + ": " + shown(name) + "\n";
  return text;
}

std::string text_of(const Compatibility& found) {
  const auto short_number = [](double value) { return format_number(value); };
  return "  chi2 " + short_number(found.chi2) + " of " + std::to_string(found.degrees_of_freedom) +
         " degrees of freedom, p " + short_number(found.chi2_probability) + "; Kolmogorov p " +
         short_number(found.kolmogorov_probability) + "\n";
}

std::string number_that_differ(std::size_t number) {
  return number == 0 ? "none differs" : std::to_string(number) + (number == 1 ? " differs" : " differ");
}

std::string text_of(const ValueDifference& difference) {
  constexpr std::size_t kLongestValue = 60;
  return "entry " + std::to_string(difference.entry) +
         (difference.key.empty() ? "" : " (" + difference.key + ")") +
         (difference.element.empty() ? "" : " " + difference.element) + ": " +
         shortened(difference.left, kLongestValue) + ", and " + shortened(difference.right, kLongestValue);
}

std::string text_of(const ColumnDifference& column, std::uint64_t entries) {
  std::string text = "  " + shown(column.column) + ": " + format_count(column.num_entries) + " of " +
                     counted(entries, "entry", "entries") +
                     (column.num_entries == 1 ? " differs\n" : " differ\n");
  for (const ValueDifference& each : column.first) text += "    " + shown(text_of(each)) + "\n";
  return text;
}

std::string text_of(const NamedKeys& keys, const std::string& what) {
  std::string text = what;
  for (std::size_t i = 0; i < keys.first.size(); ++i) text += (i == 0 ? ": " : "; ") + keys.first[i];
  return text + (keys.number > keys.first.size() ? "; ..." : "");
}

std::vector<std::string> lines_of(const KeyDifference& keys, const DiffReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](const NamedKeys& named, const std::string& what) {
    if (named.number > 0) lines.push_back(text_of(named, what));
  };
  add(keys.only_left, counted(keys.only_left.number, "entry", "entries") + " only in " + report.left);
  add(keys.only_right, counted(keys.only_right.number, "entry", "entries") + " only in " + report.right);
  add(keys.repeated, counted(keys.repeated.number, "key") + " of several entries");
  return lines;
}

std::string text_of(const EventDifference& events, const DiffReport& report) {
  std::string text;
  const auto add = [&](const std::string& line) { text += "  " + shown(line) + "\n"; };
  if (events.left_entries != events.right_entries)
    add("entries: " + std::to_string(events.left_entries) + ", and " + std::to_string(events.right_entries));
  for (const std::string& name : events.only_left) add("only in " + report.left + ": " + name);
  for (const std::string& name : events.only_right) add("only in " + report.right + ": " + name);
  for (const std::string& type : events.types) add(type);
  if (events.by_key)
    for (const std::string& line : lines_of(*events.by_key, report)) add(line);
  for (const ColumnDifference& column : events.columns) text += text_of(column, events.num_compared());
  for (const std::string& each : events.not_compared) add("not compared: " + each);
  return text.empty() ? text : shown(events.name) + "\n" + text;
}

}  // namespace

bool DiffReport::are_equal() const {
  return only_left.empty() && only_right.empty() && differing.empty() && record.empty() &&
         std::all_of(events.begin(), events.end(),
                     [](const EventDifference& each) { return each.are_equal(); });
}

bool DiffReport::has_all() const {
  return not_compared.empty() && std::all_of(events.begin(), events.end(), [](const EventDifference& each) {
           return each.not_compared.empty();
         });
}

DiffReport diff(const DiffOptions& options) {
  const io::InputLocation first = place_of(io::hide_secrets(options.left)),
                          second = place_of(io::hide_secrets(options.right));
  const HistogramFile left(first.path), right(second.path);
  const bool names_events = !first.name.empty() || !second.name.empty();
  DiffReport report;
  report.left = left.path();
  report.right = right.path();
  if (!names_events) {
    compare_histograms(left, right, options, report);
    compare_objects(left, right, options, report);
  }
  run_with_threads(options.threads > 0 ? options.threads : default_threads(),
                   [&] { EventsOfFiles(left, right, options).compare(first.name, second.name, report); });
  if (report.num_compared + report.events.size() + report.only_left.size() + report.only_right.size() +
          report.not_compared.size() ==
      0)
    refuse_nothing(options, all_names(left, right));
  if (!options.ignores_record)
    report.record = compare_records(left, right, Tolerance(options.relative, options.ulps));
  return report;
}

std::string to_text(const DiffReport& report) {
  std::string text = list_text(report.only_left, report.left) + list_text(report.only_right, report.right);
  for (const HistogramDifference& each : report.differing) {
    text += shown(each.name) + "\n";
    for (const std::string& problem : each.problems) text += "  " + shown(problem) + "\n";
    if (each.compatibility) text += text_of(*each.compatibility);
  }
  for (const std::string& each : report.not_compared) text += "not compared: " + shown(each) + "\n";
  for (const EventDifference& each : report.events) text += text_of(each, report);
  for (const std::string& problem : report.record) text += "record: " + shown(problem) + "\n";
  if (report.num_compared > 0 || report.events.empty())
    text += counted(report.num_compared, "histogram") + " compared, " +
            number_that_differ(report.differing.size()) + "\n";
  for (const EventDifference& each : report.events)
    text += shown(each.name) + ": " + counted(each.num_columns, "column") + " of " +
            counted(each.num_compared(), "entry", "entries") + " compared, " +
            number_that_differ(each.columns.size()) + "\n";
  return text;
}

namespace {

Json json_of(const Compatibility& found) {
  return {{"chi2", found.chi2},
          {"degrees_of_freedom", found.degrees_of_freedom},
          {"chi2_probability", found.chi2_probability},
          {"kolmogorov_probability", found.kolmogorov_probability}};
}

Json json_of(const ColumnDifference& column) {
  Json first = Json::array();
  for (const ValueDifference& each : column.first) {
    Json json{{"entry", each.entry}, {"element", each.element}, {"left", each.left}, {"right", each.right}};
    if (!each.key.empty()) json["key"] = each.key;
    first.push_back(std::move(json));
  }
  return {{"column", column.column}, {"entries", column.num_entries}, {"first", first}};
}

Json json_of(const NamedKeys& keys) { return {{"number", keys.number}, {"first", keys.first}}; }

Json json_of(const EventDifference& events) {
  Json columns = Json::array();
  for (const ColumnDifference& column : events.columns) columns.push_back(json_of(column));
  Json json{{"name", events.name},
            {"equal", events.are_equal()},
            {"left_entries", events.left_entries},
            {"right_entries", events.right_entries},
            {"compared", events.num_columns},
            {"only_left", events.only_left},
            {"only_right", events.only_right},
            {"types", events.types},
            {"columns", columns},
            {"not_compared", events.not_compared}};
  if (events.by_key)
    json["by"] = {{"key", events.by_key->key},
                  {"matched", events.by_key->num_matched},
                  {"only_left", json_of(events.by_key->only_left)},
                  {"only_right", json_of(events.by_key->only_right)},
                  {"repeated", json_of(events.by_key->repeated)}};
  return json;
}

}  // namespace

std::string to_json(const DiffReport& report) {
  Json differing = Json::array(), events = Json::array();
  for (const HistogramDifference& each : report.differing) {
    Json json{{"name", each.name}, {"problems", each.problems}};
    if (each.compatibility) json["compatibility"] = json_of(*each.compatibility);
    differing.push_back(std::move(json));
  }
  for (const EventDifference& each : report.events) events.push_back(json_of(each));
  const Json json{{"left", report.left},
                  {"right", report.right},
                  {"equal", report.are_equal()},
                  {"compared", report.num_compared},
                  {"only_left", report.only_left},
                  {"only_right", report.only_right},
                  {"differing", differing},
                  {"not_compared", report.not_compared},
                  {"events", events},
                  {"record", report.record}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
