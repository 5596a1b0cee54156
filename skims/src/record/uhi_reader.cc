// SPDX-License-Identifier: BSD-3-Clause
#include "record/uhi_reader.h"

#include "base/parsed_json.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/axis_kinds.h"
#include "skimline/skims/run_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::AxisFlow;
using histograms::Histogram;
using histograms::Storage;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostAxes = 32;
constexpr const char* kSchemaKey = "uhi_schema";

// Numbers that JSON lacks, as Python writes them, each with its first and last letter as quotation marks:
// texts that a parser takes, and places in its messages stay true. Boost-histogram gives NaN as variance of a
// single value.
struct NamedNumber {
  std::string_view name;
  double value;
  std::string_view content() const { return name.substr(1, name.size() - 2); }
};
constexpr std::array<NamedNumber, 3> kNamedNumbers{{{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                                    {"-Infinity", -std::numeric_limits<double>::infinity()},
                                                    {"Infinity", std::numeric_limits<double>::infinity()}}};

std::string with_named_numbers_as_texts(std::string_view text) {
  std::string changed(text);
  bool in_text = false;
  for (std::size_t at = 0; at < changed.size(); ++at) {
    if (changed[at] == '"') in_text = !in_text;
    if (in_text && changed[at] == '\\') ++at;
    if (in_text) continue;
    for (const NamedNumber& number : kNamedNumbers) {
      if (text.substr(at, number.name.size()) != number.name) continue;
      changed[at] = changed[at + number.name.size() - 1] = '"';
      at += number.name.size() - 1;
      break;
    }
  }
  return changed;
}

// Some writers have null for what is no number.
double number_of(const Json& json) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (json.is_string())
    for (const NamedNumber& number : kNamedNumbers)
      if (json.get_ref<const std::string&>() == number.content()) return number.value;
  return json.get<double>();
}

const Json& member(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (found == json.end()) throw Error("has no \"" + std::string(key) + "\"");
  return *found;
}

template <typename Value>
Value member_or(const Json& json, const char* key, Value otherwise) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? otherwise : found->get<Value>();
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json metadata_of(const Json& json) { return member_or(json, "metadata", Json::object()); }

// What this program notes of an axis or a histogram.
Json notes_of(const Json& json) {
  return member_or(member_or(json, "writer_info", Json::object()), "skimline", Json::object());
}

// An axis of ours, and which of its flow cells the text has.
struct ReadAxis {
  Axis axis;
  bool has_underflow = false, has_overflow = false;

  std::size_t num_cells() const {
    return static_cast<std::size_t>(axis.num_bins()) + (has_underflow ? 1 : 0) + (has_overflow ? 1 : 0);
  }
};

ReadAxis numeric_axis(const Json& json, const std::string& type) {
  AxisFlow flow{member(json, "underflow").get<bool>(), member(json, "overflow").get<bool>(),
                member_or(json, "circular", false)};
  const bool has_underflow = flow.underflow, has_overflow = flow.overflow;
  if (flow.circular) flow.underflow = flow.overflow = true;
  if (type == "variable")
    return {Axis::variable(member(json, "edges").get<std::vector<double>>(), flow), has_underflow,
            has_overflow};
  const double low = member(json, "lower").get<double>(), high = member(json, "upper").get<double>();
  const auto bins = member(json, "bins").get<std::int64_t>();
  if (bins < 1 || bins > INT32_MAX) throw Error("has an axis of an impossible number of bins");
  const bool is_integer = member_or(notes_of(json), "integer", false) && std::abs(low) < 0x1p31 &&
                          std::abs(high) <= 0x1p31 && high - low == static_cast<double>(bins);
  if (is_integer)
    return {Axis::integer(static_cast<std::int32_t>(low), static_cast<std::int32_t>(high - 1), flow),
            has_underflow, has_overflow};
  return {Axis::regular(static_cast<int>(bins), low, high, flow), has_underflow, has_overflow};
}

ReadAxis axis_of(const Json& json) {
  const auto type = member(json, "type").get<std::string>();
  if (type == "category_str" || type == "category_int") {
    const Json& categories = member(json, "categories");
    // Other libraries do not say that an axis grows, but one without categories can do nothing else.
    const bool is_growing = categories.empty() || member_or(notes_of(json), "growing", false);
    return {type == "category_str"
                ? Axis::categories(categories.get<std::vector<std::string>>(), is_growing)
                : Axis::categories(categories.get<std::vector<std::int64_t>>(), is_growing),
            false, member(json, "flow").get<bool>()};
  }
  if (type == "boolean") return {Axis::categories(std::vector<std::string>{"false", "true"}), false, false};
  if (type == "regular" || type == "variable") return numeric_axis(json, type);
  throw Error("has an axis of the unknown type \"" + type + "\"");
}

// The numbers of nested lists, the first axis outermost, in their order. There are as many as cells of the
// text, so that no more is kept than it has.
class NestedNumbers {
 public:
  NestedNumbers(const Json& json, const std::vector<ReadAxis>& axes) : axes_(axes) { append(json, 0); }
  std::vector<double> take() { return std::move(numbers_); }

 private:
  void append(const Json& json, std::size_t axis) {
    if (axis == axes_.size()) return numbers_.push_back(number_of(json));
    if (!json.is_array() || json.size() != axes_[axis].num_cells())
      throw Error("has other numbers of cells than its axes");
    for (const Json& item : json) append(item, axis + 1);
  }

  const std::vector<ReadAxis>& axes_;
  std::vector<double> numbers_;
};

// Cells of ours for each number, in the order of the text.
std::vector<std::size_t> cells_of(const std::vector<ReadAxis>& axes) {
  std::vector<std::size_t> cells{0};
  std::size_t stride = 1;
  for (const ReadAxis& each : axes) {
    std::vector<std::size_t> next;
    for (const std::size_t outer : cells)
      for (std::size_t i = 0; i < each.num_cells(); ++i)
        next.push_back(outer + stride * (i + (each.has_underflow ? 0 : 1)));
    cells = std::move(next);
    stride *= each.axis.num_cells();
  }
  return cells;
}

class StorageReader {
 public:
  StorageReader(const Json& json, const std::vector<ReadAxis>& axes, Histogram& histogram)
      : json_(json), axes_(axes), cells_(), histogram_(histogram) {}

  void read() {
    const auto type = member(json_, "type").get<std::string>();
    if (json_.contains("index")) throw Error("is sparse, which cannot be read");
    const std::vector<double> values = numbers("values");
    cells_ = cells_of(axes_);
    if (type == "int" || type == "double") return read_simple(values);
    if (type == "weighted") return set(Storage::kWeighted, {values, numbers("variances")});
    if (type == "mean" || type == "weighted_mean") return read_means(values, type == "mean");
    throw Error("has the unknown storage \"" + type + "\"");
  }

 private:
  std::vector<double> numbers(const char* key) { return NestedNumbers(member(json_, key), axes_).take(); }

  // What is no number of fills has no errors of its own: sums of weights that nobody was asked to square, and
  // differences of counts.
  void read_simple(const std::vector<double>& values) {
    const bool are_counts = std::all_of(values.begin(), values.end(), [](double value) {
      return value >= 0 && value <= 0x1p53 && value == std::floor(value);
    });
    if (are_counts) return set(Storage::kCount, {values});
    std::vector<double> squares;
    for (const double value : values) squares.push_back(std::abs(value));
    set(Storage::kWeighted, {values, squares});
  }

  // The other way round than to_uhi_json() says.
  void read_means(const std::vector<double>& means, bool are_counted) {
    const std::vector<double> weights = numbers(are_counted ? "counts" : "sum_of_weights");
    const std::vector<double> squares = are_counted ? weights : numbers("sum_of_weights_squared");
    const std::vector<double> variances = numbers("variances");
    std::vector<double> sums, squared_sums;
    for (std::size_t i = 0; i < means.size(); ++i) {
      const double freedom = weights[i] == 0 ? 0 : weights[i] - squares[i] / weights[i];
      const double spread = freedom == 0 || std::isnan(variances[i]) ? 0 : variances[i] * freedom;
      sums.push_back(weights[i] == 0 ? 0 : weights[i] * means[i]);
      squared_sums.push_back(weights[i] == 0 ? 0 : spread + means[i] * sums[i]);
    }
    set(Storage::kProfile, {weights, squares, sums, squared_sums});
  }

  void set(Storage storage, const std::vector<std::vector<double>>& sums) {
    histogram_.storage = storage;
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
      histogram_.sums[sum].assign(histogram_.num_cells(), 0);
      for (std::size_t i = 0; i < cells_.size(); ++i) histogram_.sums[sum][cells_[i]] = sums[sum][i];
    }
  }

  const Json& json_;
  const std::vector<ReadAxis>& axes_;
  std::vector<std::size_t> cells_;
  Histogram& histogram_;
};

double center_of(const Axis& axis, std::size_t bin) {
  if (axis.is_category()) return 0;
  if (!axis.edges().empty()) return (axis.edges()[bin] + axis.edges()[bin + 1]) / 2;
  return axis.low() + (static_cast<double>(bin) + 0.5) * (axis.high() - axis.low()) / axis.num_bins();
}

// Adds what a cell inside of all axes has; false if it is a flow cell.
bool centers_of(const std::vector<Axis>& axes, std::size_t cell, std::vector<double>& centers) {
  centers.clear();
  for (const Axis& axis : axes) {
    const std::size_t here = cell % axis.num_cells();
    if (here == 0 || here == axis.num_cells() - 1) return false;
    centers.push_back(center_of(axis, here - 1));
    cell /= axis.num_cells();
  }
  return true;
}

void set_statistics(Histogram& histogram) {
  histograms::Statistics& sums = histogram.statistics;
  const std::size_t num_axes = histogram.axes.size();
  sums.position.assign(num_axes, 0);
  sums.position_squared.assign(num_axes, 0);
  sums.position_product.assign(num_axes == 2 ? 1 : num_axes == 3 ? 3 : 0, 0);
  std::vector<double> centers;
  for (std::size_t cell = 0; cell < histogram.num_cells(); ++cell) {
    const double weight = histogram.contents()[cell];
    if (weight == 0 || !centers_of(histogram.axes, cell, centers)) continue;
    sums.weight += weight;
    sums.weight_squared += histogram.variances()[cell];
    for (std::size_t axis = 0; axis < num_axes; ++axis) {
      sums.position[axis] += weight * centers[axis];
      sums.position_squared[axis] += weight * centers[axis] * centers[axis];
    }
    for (std::size_t i = 0, product = 0; product < sums.position_product.size(); ++i)
      for (std::size_t j = i + 1; j < num_axes; ++j)
        sums.position_product[product++] += weight * centers[i] * centers[j];
    if (!has_values(histogram.storage)) continue;
    sums.weighted_value += histogram.sums[histograms::kWeightedValue][cell];
    sums.weighted_value_squared += histogram.sums[histograms::kWeightedValueSquared][cell];
  }
}

// The largest number of fills that a file may claim.
std::uint64_t entries_of(const Json& metadata, const Histogram& histogram) {
  const auto found = metadata.find("entries");
  if (found != metadata.end() && found->is_number_unsigned()) return found->get<std::uint64_t>();
  double sum = 0;
  for (const double content : histogram.contents()) sum += content;
  return sum > 0 && sum < 0x1p63 ? static_cast<std::uint64_t>(std::llround(sum)) : 0;
}

Histogram histogram_of(const std::string& name, const Json& json) {
  if (member(json, kSchemaKey) != 1) throw Error("is not of version 1 of UHI's schema");
  std::vector<ReadAxis> axes;
  if (member(json, "axes").size() > kMostAxes) throw Error("has too many axes");
  for (const Json& axis : member(json, "axes")) {
    axes.push_back(axis_of(axis));
    axes.back().axis.label = text_in(metadata_of(axis), "label");
    axes.back().axis.unit = text_in(metadata_of(axis), "unit");
  }
  if (axes.empty()) throw Error("has no axes");
  const Json metadata = metadata_of(json);
  Histogram histogram;
  histogram.name = name;
  histogram.title = text_in(metadata, "title");
  histogram.value_title = text_in(metadata, "label");
  for (const ReadAxis& each : axes) histogram.axes.push_back(each.axis);
  StorageReader(member(json, "storage"), axes, histogram).read();
  histogram.entries = entries_of(metadata, histogram);
  set_statistics(histogram);
  return histogram;
}

Json parsed(std::string_view text) {
  Json json = parsed_json<Json>(with_named_numbers_as_texts(text));
  if (!json.is_object()) throw Error("is no object with histograms");
  return json;
}

// One histogram, or one by each name.
template <typename Visit>
void for_each_histogram(const Json& json, const Visit& visit) {
  if (json.contains(kSchemaKey)) return visit(text_in(metadata_of(json), "name"), json);
  for (const auto& [name, histogram] : json.items()) visit(name, histogram);
}

}  // namespace

std::vector<Histogram> parse_uhi_json(std::string_view text) {
  std::vector<Histogram> histograms;
  const Json json = parsed(text);
  for_each_histogram(json, [&](const std::string& name, const Json& each) {
    const auto fail = [&](const char* problem) { throw Error("histogram \"" + name + "\": " + problem); };
    try {
      histograms.push_back(histogram_of(name.empty() ? "histogram" : name, each));
    } catch (const Json::exception&) {
      fail("a value has another type than UHI's schema says");
    } catch (const Error& error) {
      fail(error.what());
    }
  });
  return histograms;
}

std::vector<std::string> record_texts_of(std::string_view text) {
  std::vector<std::string> texts;
  const Json json = parsed(text);
  for_each_histogram(json, [&](const std::string& name, const Json& each) {
    if (!name.starts_with(kRecordDirectory) || !each.is_object()) return;
    try {
      if (std::string record = text_in(notes_of(each), "record"); !record.empty())
        texts.push_back(std::move(record));
    } catch (const Json::exception&) {
      throw Error("\"" + name + "\" has no record where one is expected");
    }
  });
  return texts;
}

}  // namespace skimline::skims
