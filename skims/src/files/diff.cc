// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/diff.h"

#include "base/text_table.h"
#include "record/record_steps.h"
#include "report/plotted_bins.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::Histogram;

// More are only counted.
constexpr std::size_t kShownCells = 3;
constexpr std::array kSumNames{"content", "sum of squared weights", "sum of values", "sum of squared values"};

// As many digits as tell it from all others.
std::string exact_number(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// Doubles by their order, negative ones too.
std::int64_t order_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::bit_cast<std::int64_t>(std::uint64_t{1} << 63) - bits : bits;
}

class Tolerance {
 public:
  explicit Tolerance(const DiffOptions& options) : relative_(options.relative), ulps_(options.ulps) {}

  bool are_equal(double left, double right) const {
    if (left == right || (std::isnan(left) && std::isnan(right))) return true;
    if (!std::isfinite(left) || !std::isfinite(right)) return false;
    if (std::abs(left - right) <= relative_ * std::max(std::abs(left), std::abs(right))) return true;
    const auto steps =
        static_cast<std::uint64_t>(order_of(left)) - static_cast<std::uint64_t>(order_of(right));
    return std::min(steps, std::uint64_t{0} - steps) <= ulps_;
  }

 private:
  double relative_;
  std::uint64_t ulps_;
};

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
  HistogramComparison(const Histogram& left, const Histogram& right, const Tolerance& tolerance)
      : left_(left), right_(right), tolerance_(tolerance) {}

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
        add("axis " + std::to_string(i) + " has other bins: " + std::to_string(left_.axes[i].num_bins()) +
            " from " + exact_number(left_.axes[i].low()) + " to " + exact_number(left_.axes[i].high()) +
            ", and " + std::to_string(right_.axes[i].num_bins()) + " from " +
            exact_number(right_.axes[i].low()) + " to " + exact_number(right_.axes[i].high()));
  }

  void compare_contents() {
    compare_texts();
    if (left_.entries != right_.entries)
      add("entries: " + std::to_string(left_.entries) + ", and " + std::to_string(right_.entries));
    if (left_.storage != right_.storage && (has_values(left_.storage) || has_values(right_.storage)))
      return add("one is a profile");
    for (std::size_t sum = 0; sum < std::max(num_sums(left_.storage), num_sums(right_.storage)); ++sum)
      compare_cells(sum);
    if (!difference_.problems.empty()) difference_.compatibility = compatibility_of(left_, right_);
  }

  void compare_texts() {
    if (left_.title != right_.title)
      add("title: " + in_quotes(left_.title) + ", and " + in_quotes(right_.title));
    for (std::size_t i = 0; i < left_.axes.size(); ++i)
      if (left_.axes[i].title() != right_.axes[i].title())
        add("label of axis " + std::to_string(i) + ": " + in_quotes(left_.axes[i].title()) + ", and " +
            in_quotes(right_.axes[i].title()));
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
        add(std::string(kSumNames[sum]) + " of " + cell_name(left_, cell) + ": " + exact_number(left[cell]) +
            ", and " + exact_number(right[cell]));
    }
    if (num_differing > kShownCells)
      add(std::string(kSumNames[sum]) + " of " + counted(num_differing - kShownCells, "more cell") + " of " +
          format_count(left.size()));
  }

  const Histogram& left_;
  const Histogram& right_;
  const Tolerance& tolerance_;
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
    using Json = nlohmann::ordered_json;
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
    if (left.normalisation != right.normalisation) add(what + "another normalisation");
    if (left.inputs.size() != right.inputs.size())
      add(what + counted(left.inputs.size(), "input") + ", and " + std::to_string(right.inputs.size()));
    for (std::size_t i = 0; i < std::min(left.inputs.size(), right.inputs.size()); ++i)
      if (left.inputs[i].uuid != right.inputs[i].uuid ||
          left.inputs[i].num_entries != right.inputs[i].num_entries)
        add(what + "input " + left.inputs[i].file + " is not " + right.inputs[i].file);
    compare_steps(what, steps_of(left), steps_of(right));
  }

  void compare_steps(const std::string& what, const std::vector<RecordedStep>& left,
                     const std::vector<RecordedStep>& right) {
    if (left.size() != right.size()) return add(what + "other steps of the cutflow");
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::string step = what + "step " + in_quotes(left[i].name) + ": ";
      if (left[i].name != right[i].name) add(step + "the second has " + in_quotes(right[i].name));
      if (left[i].num_events != right[i].num_events)
        add(step + exact_number(left[i].num_events) + " events, and " + exact_number(right[i].num_events));
      if (!tolerance_.are_equal(left[i].sum_weights, right[i].sum_weights))
        add(step + "sum of weights " + exact_number(left[i].sum_weights) + ", and " +
            exact_number(right[i].sum_weights));
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

}  // namespace

bool DiffReport::are_equal() const {
  return only_left.empty() && only_right.empty() && differing.empty() && record.empty();
}

DiffReport diff(const DiffOptions& options) {
  const HistogramFile left(io::hide_secrets(options.left)), right(io::hide_secrets(options.right));
  const Tolerance tolerance(options);
  DiffReport report;
  report.left = left.path();
  report.right = right.path();
  for (const std::string& name : left.names()) {
    if (!is_included(name, options.include)) continue;
    if (!right.contains(name)) {
      report.only_left.push_back(name);
      continue;
    }
    ++report.num_compared;
    const Histogram first = left.read(name), second = right.read(name);
    HistogramDifference difference = HistogramComparison(first, second, tolerance).compare();
    if (!difference.problems.empty()) report.differing.push_back(std::move(difference));
  }
  for (const std::string& name : right.names())
    if (is_included(name, options.include) && !left.contains(name)) report.only_right.push_back(name);
  if (report.num_compared + report.only_left.size() + report.only_right.size() == 0)
    throw ConfigError(options.include.empty() ? "neither file has histograms, which is what is compared"
                                              : "no histogram matches");
  if (!options.ignores_record) report.record = compare_records(left, right, tolerance);
  return report;
}

std::string to_text(const DiffReport& report) {
  std::string text = list_text(report.only_left, report.left) + list_text(report.only_right, report.right);
  for (const HistogramDifference& each : report.differing) {
    text += shown(each.name) + "\n";
    for (const std::string& problem : each.problems) text += "  " + shown(problem) + "\n";
    if (each.compatibility) text += text_of(*each.compatibility);
  }
  for (const std::string& problem : report.record) text += "record: " + shown(problem) + "\n";
  return text + counted(report.num_compared, "histogram") + " compared, " +
         (report.differing.empty() ? "none differs" : std::to_string(report.differing.size()) + " differ") +
         "\n";
}

std::string to_json(const DiffReport& report) {
  using Json = nlohmann::ordered_json;
  Json differing = Json::array();
  for (const HistogramDifference& each : report.differing) {
    Json json{{"name", each.name}, {"problems", each.problems}};
    if (each.compatibility)
      json["compatibility"] = {{"chi2", each.compatibility->chi2},
                               {"degrees_of_freedom", each.compatibility->degrees_of_freedom},
                               {"chi2_probability", each.compatibility->chi2_probability},
                               {"kolmogorov_probability", each.compatibility->kolmogorov_probability}};
    differing.push_back(std::move(json));
  }
  const Json json{{"left", report.left},           {"right", report.right},
                  {"equal", report.are_equal()},   {"compared", report.num_compared},
                  {"only_left", report.only_left}, {"only_right", report.only_right},
                  {"differing", differing},        {"record", report.record}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
