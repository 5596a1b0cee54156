// SPDX-License-Identifier: BSD-3-Clause
#include "record/uhi_json.h"

#include "record/record_steps.h"
#include "record/record_text.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/axis_kinds.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::BinsBy;
using histograms::Histogram;
using histograms::Storage;
using Json = nlohmann::ordered_json;

// Whole numbers up to here are written as such.
constexpr double kMaxInteger = 0x1p63;
// What is left of equal squares after some operations, relative to them.
constexpr double kRounding = 0x1p-50;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool has_underflow(const Axis& axis) {
  return !axis.is_category() && axis.flow().underflow && !axis.flow().circular;
}

// The flow cell of a circular axis takes what is not finite.
bool has_overflow(const Axis& axis) {
  if (axis.is_category()) return !axis.is_growing();
  return axis.flow().overflow || axis.flow().circular;
}

Json metadata_of(const Axis& axis) {
  Json metadata = Json::object();
  if (!axis.label.empty()) metadata["label"] = axis.label;
  if (!axis.unit.empty()) metadata["unit"] = axis.unit;
  return metadata;
}

Json bins_of(const Axis& axis) {
  switch (traits_of(axis.kind()).bins_by) {
    case BinsBy::kNames:
      return {{"type", "category_str"}, {"categories", axis.names()}, {"flow", has_overflow(axis)}};
    case BinsBy::kNumbers:
      return {{"type", "category_int"}, {"categories", axis.numbers()}, {"flow", has_overflow(axis)}};
    case BinsBy::kEdges:
      return {{"type", "variable"}, {"edges", axis.edges()}};
    case BinsBy::kLimits:
      break;
  }
  return {{"type", "regular"}, {"lower", axis.low()}, {"upper", axis.high()}, {"bins", axis.num_bins()}};
}

Json json_of(const Axis& axis) {
  Json json = bins_of(axis);
  if (!axis.is_category()) {
    json["underflow"] = has_underflow(axis);
    json["overflow"] = has_overflow(axis);
    json["circular"] = axis.flow().circular;
  }
  const Json metadata = metadata_of(axis);
  if (!metadata.empty()) json["metadata"] = metadata;
  Json notes = Json::object();
  if (axis.is_growing()) notes["growing"] = true;
  if (const auto note = traits_of(axis.kind()).note; !note.empty()) notes[std::string(note)] = true;
  if (!notes.empty()) json["writer_info"] = {{"skimline", notes}};
  return json;
}

// The parts of a histogram in front of its storage, without the closing brace.
std::string head_of(const Histogram& histogram, const std::string& record) {
  Json metadata{{"name", histogram.name}};
  if (!histogram.title.empty()) metadata["title"] = histogram.title;
  if (!histogram.value_title.empty()) metadata["label"] = histogram.value_title;
  metadata["entries"] = histogram.entries;
  if (histogram.num_nan > 0) metadata["num_nan"] = histogram.num_nan;
  if (histogram.num_bad_weights > 0) metadata["num_bad_weights"] = histogram.num_bad_weights;
  Json axes = Json::array();
  for (const Axis& axis : histogram.axes) axes.push_back(json_of(axis));
  Json head{{"uhi_schema", 1}};
  if (!record.empty()) head["writer_info"] = {{"skimline", {{"record", record}}}};
  head["metadata"] = metadata;
  head["axes"] = axes;
  std::string text = dumped(head);
  text.pop_back();
  return text;
}

// The cells of an axis in the order of UHI, each as the cells of ours whose sums it has.
std::vector<std::vector<std::size_t>> cells_of(const Axis& axis) {
  std::vector<std::vector<std::size_t>> cells;
  const std::size_t overflow = axis.num_cells() - 1;
  if (has_underflow(axis)) cells.push_back({0});
  for (std::size_t i = 1; i < overflow; ++i) cells.push_back({i});
  if (has_overflow(axis)) cells.push_back({overflow});
  if (axis.flow().circular) cells.back().push_back(0);
  return cells;
}

using Sums = std::array<double, histograms::kMaxCellSums>;

class StorageWriter {
 public:
  explicit StorageWriter(const Histogram& histogram) : histogram_(histogram) {
    std::size_t stride = 1;
    for (const Axis& axis : histogram.axes) {
      cells_.push_back(cells_of(axis));
      strides_.push_back(stride);
      stride *= axis.num_cells();
    }
  }

  std::string write() {
    switch (histogram_.storage) {
      case Storage::kCount:
        begin(is_whole() ? "int" : "double");
        write_field("values", [](const Sums& sums) { return sums[histograms::kWeight]; });
        break;
      case Storage::kWeighted:
        begin("weighted");
        write_field("values", [](const Sums& sums) { return sums[histograms::kWeight]; });
        write_field("variances", [](const Sums& sums) { return sums[histograms::kWeightSquared]; });
        break;
      case Storage::kProfile:
        write_profile();
    }
    text_ += '}';
    return std::move(text_);
  }

 private:
  bool is_whole() const {
    for (const double count : histogram_.contents())
      if (count != std::trunc(count) || std::abs(count) >= kMaxInteger) return false;
    return true;
  }

  void begin(const char* type) { text_ += std::string(R"({"type":")") + type + '"'; }

  void write_profile() {
    const bool is_weighted =
        histogram_.sums[histograms::kWeight] != histogram_.sums[histograms::kWeightSquared];
    begin(is_weighted ? "weighted_mean" : "mean");
    write_field(is_weighted ? "sum_of_weights" : "counts",
                [](const Sums& sums) { return sums[histograms::kWeight]; });
    if (is_weighted)
      write_field("sum_of_weights_squared",
                  [](const Sums& sums) { return sums[histograms::kWeightSquared]; });
    write_field("values", mean);
    write_field("variances", variance);
  }

  static double mean(const Sums& sums) {
    const double weight = sums[histograms::kWeight];
    return weight == 0 ? 0 : sums[histograms::kWeightedValue] / weight;
  }

  // As boost-histogram has it: sum w (v - mean)^2 over sum w - sum w^2 / sum w, for counts n - 1.
  static double variance(const Sums& sums) {
    const double weight = sums[histograms::kWeight];
    if (weight == 0) return 0;
    const double freedom = weight - sums[histograms::kWeightSquared] / weight;
    const double squares =
        sums[histograms::kWeightedValueSquared] - mean(sums) * sums[histograms::kWeightedValue];
    const double rounding = kRounding * std::abs(sums[histograms::kWeightedValueSquared]);
    return freedom == 0 || std::abs(squares) <= rounding ? 0 : squares / freedom;
  }

  // Nested lists, the first axis outermost.
  template <typename Value>
  void write_field(const char* name, const Value& value) {
    text_ += std::string(",\"") + name + "\":";
    origins_.assign(1, 0);
    write_list(0, value);
  }

  template <typename Value>
  void write_list(std::size_t axis, const Value& value) {
    if (axis == cells_.size()) return write_number(value(sums_here()));
    const std::vector<std::size_t> outer = origins_;
    char separator = '[';
    for (const std::vector<std::size_t>& cells : cells_[axis]) {
      text_ += separator;
      separator = ',';
      origins_.clear();
      for (const std::size_t origin : outer)
        for (const std::size_t cell : cells) origins_.push_back(origin + strides_[axis] * cell);
      write_list(axis + 1, value);
    }
    if (separator == '[') text_ += separator;
    text_ += ']';
    origins_ = outer;
  }

  Sums sums_here() const {
    Sums total{};
    for (std::size_t i = 0; i < num_sums(histogram_.storage); ++i)
      for (const std::size_t cell : origins_) total[i] += histogram_.sums[i][cell];
    return total;
  }

  void write_number(double number) {
    if (!std::isfinite(number))
      throw ConfigError("histogram \"" + histogram_.name +
                        "\" has a cell that is not finite, which JSON cannot hold");
    char digits[32];
    const bool is_whole = number == std::trunc(number) && std::abs(number) < kMaxInteger;
    const std::to_chars_result end =
        is_whole ? std::to_chars(digits, std::end(digits), static_cast<std::int64_t>(number))
                 : std::to_chars(digits, std::end(digits), number);
    text_.append(digits, end.ptr);
  }

  const Histogram& histogram_;
  std::vector<std::vector<std::vector<std::size_t>>> cells_;  // by axis
  std::vector<std::size_t> strides_;                          // by axis
  std::vector<std::size_t> origins_;                          // cells summed up at the present place
  std::string text_;
};

void check_name(const std::string& name, std::set<std::string>& names) {
  if (name.empty() || name == "uhi_schema")
    throw ConfigError("a histogram cannot be called \"" + name + "\" in UHI JSON");
  if (!names.insert(name).second) throw ConfigError("two histograms are called \"" + name + "\"");
}

// The names and texts of all histograms.
class FileWriter {
 public:
  void add(const Histogram& histogram, const std::string& record = {}) {
    check_name(histogram.name, names_);
    text_ += separator_ + dumped(histogram.name) + ": " + head_of(histogram, record) + ",\"storage\":";
    text_ += StorageWriter(histogram).write() + "}";
    separator_ = ",\n";
  }

  void add(const RunRecord& record) {
    const std::vector<Histogram> cutflows = named_cutflows(record);
    for (std::size_t i = 0; i < cutflows.size(); ++i)
      add(cutflows[i], i < record.samples.size() ? text_of_sample(record, i) : std::string());
  }

  std::string take() { return std::move(text_) + "\n}\n"; }

 private:
  static std::string text_of_sample(const RunRecord& record, std::size_t sample) {
    RunRecord part = record;
    part.samples = {record.samples[sample]};
    return record_text(part);
  }

  std::set<std::string> names_;
  std::string text_ = "{";
  const char* separator_ = "\n";
};

}  // namespace

std::string to_uhi_json(std::span<const Histogram> histograms, const RunRecord* record) {
  FileWriter writer;
  for (const Histogram& histogram : histograms) writer.add(histogram);
  if (record != nullptr) {
    RunRecord canonical = *record;
    make_canonical(canonical);
    writer.add(canonical);
  }
  return writer.take();
}

}  // namespace skimline::skims
