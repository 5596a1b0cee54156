// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/axis_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace skimline::skims {
namespace {

using histograms::AxisKind;

constexpr double kMaximumBins = 10'000'000;

void read_bins(const JsonValue& value, AxisConfig& axis, Diagnostics& diagnostics) {
  const auto bins = read_number(value, "\"bins\"", diagnostics);
  if (!bins) return;
  if (*bins < 1 || *bins > kMaximumBins || *bins != std::floor(*bins))
    diagnostics.add(value.location, "\"bins\" must be a whole number from 1 to 10000000");
  else
    axis.bins.num_bins = static_cast<int>(*bins);
}

void read_range(const JsonValue& value, AxisConfig& axis, Diagnostics& diagnostics) {
  const auto range = read_numbers(value, "\"range\"", diagnostics);
  if (!range) return;
  if (range->size() != 2 || !((*range)[0] < (*range)[1])) {
    diagnostics.add(value.location, "\"range\" must be two numbers, the lower one first");
    return;
  }
  if (!std::isfinite((*range)[1] - (*range)[0])) {
    diagnostics.add(value.location, "\"range\" is too wide");
    return;
  }
  axis.bins.low = (*range)[0];
  axis.bins.high = (*range)[1];
}

void read_edges(const JsonValue& value, AxisConfig& axis, Diagnostics& diagnostics) {
  const auto edges = read_numbers(value, "\"edges\"", diagnostics);
  if (!edges) return;
  if (edges->size() < 2) diagnostics.add(value.location, "\"edges\" needs two numbers or more");
  for (std::size_t i = 1; i < edges->size(); ++i) {
    if ((*edges)[i - 1] < (*edges)[i]) continue;
    diagnostics.add(value.items[i].location, "\"edges\" must increase from one number to the next");
    return;
  }
  axis.bins.edges = *edges;
}

void read_integers(const JsonValue& value, AxisConfig& axis, Diagnostics& diagnostics) {
  const auto ends = read_numbers(value, "\"integers\"", diagnostics);
  if (!ends) return;
  const auto is_integer = [](double number) {
    return number == std::floor(number) && number >= std::numeric_limits<std::int32_t>::min() &&
           number <= std::numeric_limits<std::int32_t>::max();
  };
  if (ends->size() != 2 || !is_integer((*ends)[0]) || !is_integer((*ends)[1]) || (*ends)[1] < (*ends)[0]) {
    diagnostics.add(value.location,
                    "\"integers\" must be the first and the last of consecutive integers of 32 bits");
    return;
  }
  if ((*ends)[1] - (*ends)[0] >= kMaximumBins) {
    diagnostics.add(value.location, "\"integers\" may be 10000000 at most");
    return;
  }
  axis.bins.low = (*ends)[0];
  axis.bins.high = (*ends)[1] + 1;
  axis.bins.num_bins = static_cast<int>(axis.bins.high - axis.bins.low);
}

// Each item once, all of one kind.
class CategoryReader {
 public:
  CategoryReader(AxisConfig& axis, Diagnostics& diagnostics) : axis_(axis), diagnostics_(diagnostics) {}

  void read(const JsonValue& list) {
    for (const JsonValue& item : list.items) {
      if (item.kind == JsonKind::kString)
        add_name(item);
      else if (is_integer(item))
        add_number(item);
      else
        diagnostics_.add(item.location,
                         "a category must be a text or an integer up to 2^53, got " + name_of(item.kind));
    }
    const histograms::AxisDefinition& read = axis_.bins;
    if (!read.names.empty() && !read.numbers.empty())
      diagnostics_.add(list.location, "\"categories\" must be all texts or all integers");
    if (!read.names.empty()) axis_.kind = AxisKind::kStringCategories;
    if (!read.numbers.empty()) axis_.kind = AxisKind::kIntegerCategories;
  }

 private:
  static bool is_integer(const JsonValue& item) {
    return (item.kind == JsonKind::kInteger || item.kind == JsonKind::kReal) &&
           item.number == std::floor(item.number) && is_exact(item);
  }

  void add_name(const JsonValue& item) {
    const auto text = read_text(item, "a category", diagnostics_);
    if (!text) return;
    if (names_.insert(text->value).second)
      axis_.bins.names.push_back(text->value);
    else
      diagnostics_.add(item.location, "the category \"" + text->value + "\" is given twice");
  }

  void add_number(const JsonValue& item) {
    const auto number = static_cast<std::int64_t>(item.number);
    if (numbers_.insert(number).second)
      axis_.bins.numbers.push_back(number);
    else
      diagnostics_.add(item.location, "the category " + std::to_string(number) + " is given twice");
  }

  AxisConfig& axis_;
  Diagnostics& diagnostics_;
  std::set<std::string> names_;
  std::set<std::int64_t> numbers_;
};

// What grows from nothing grows to categories of the kind of the value.
void read_categories(const ObjectReader& object, AxisConfig& axis) {
  const JsonValue& value = *object.find("categories");
  axis.bins.is_growing = object.flag("growing", false);
  if (value.kind != JsonKind::kList) {
    object.diagnostics().add(value.location, "\"categories\" must be a list, got " + name_of(value.kind));
    return;
  }
  if (value.items.empty() && !axis.bins.is_growing)
    object.diagnostics().add(value.location, "\"categories\" may be empty only with \"growing\": true");
  CategoryReader(axis, object.diagnostics()).read(value);
}

void read_equal_bins(const ObjectReader& object, AxisConfig& axis) {
  axis.kind = AxisKind::kRegular;
  if (const JsonValue* bins = object.find("bins")) read_bins(*bins, axis, object.diagnostics());
  if (const JsonValue* range = object.find("range")) read_range(*range, axis, object.diagnostics());
}

void read_edges(const ObjectReader& object, AxisConfig& axis) {
  axis.kind = AxisKind::kVariable;
  read_edges(*object.find("edges"), axis, object.diagnostics());
}

void read_integers(const ObjectReader& object, AxisConfig& axis) {
  axis.kind = AxisKind::kInteger;
  read_integers(*object.find("integers"), axis, object.diagnostics());
}

// One way to say the bins of an axis: the keys that it takes, and what reads them where one is found.
struct Binning {
  std::vector<const char*> keys;
  void (*read)(const ObjectReader& object, AxisConfig& axis);

  const JsonValue* found_in(const ObjectReader& object) const {
    for (const char* key : keys)
      if (const JsonValue* found = object.find(key)) return found;
    return nullptr;
  }
  bool is_complete_in(const ObjectReader& object) const {
    return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return object.find(key); });
  }
};

const std::vector<Binning>& binnings() {
  static const std::vector<Binning> all{
      {{"bins", "range"}, read_equal_bins},
      {{"edges"}, read_edges},
      {{"integers"}, read_integers},
      {{"categories"}, read_categories},
  };
  return all;
}

// "bins" and "range", "edges" or "categories".
std::string names_of_binnings() {
  std::string text;
  for (const Binning& binning : binnings()) {
    const bool is_last = &binning == &binnings().back();
    text += text.empty() ? "" : is_last ? " or " : ", ";
    for (const char* key : binning.keys)
      text += (key == binning.keys.front() ? "\"" : " and \"") + std::string(key) + "\"";
  }
  return text;
}

void read_binning(const ObjectReader& object, AxisConfig& axis) {
  for (const Binning& binning : binnings())
    if (binning.found_in(object)) binning.read(object, axis);
}

// Bins are said in exactly one way.
void check_binning(const ObjectReader& object) {
  int ways = 0;
  bool is_complete = false;
  for (const Binning& binning : binnings()) {
    const JsonValue* found = binning.found_in(object);
    if (!found) continue;
    is_complete |= ways == 0 && binning.is_complete_in(object);
    if (++ways > 1)
      object.diagnostics().add(found->location,
                               "give either " + names_of_binnings() + ", not several of them");
  }
  if (ways < 2 && !is_complete)
    object.diagnostics().add(object.opening(), "an axis needs " + names_of_binnings());
}

void read_flow(const ObjectReader& object, AxisConfig& axis) {
  const bool has_categories = object.find("categories") != nullptr;
  for (const char* key : {"circular", "underflow", "overflow"})
    if (const JsonValue* found = object.find(key); found && has_categories)
      object.diagnostics().add(found->location,
                               "\"" + std::string(key) + "\" is for axes of numbers, not for \"categories\"");
  if (const JsonValue* growing = object.find("growing"); growing && !has_categories)
    object.diagnostics().add(growing->location, "\"growing\" is for \"categories\" only");
  axis.bins.flow.circular = object.flag("circular", false);
  axis.bins.flow.underflow = object.flag("underflow", true);
  axis.bins.flow.overflow = object.flag("overflow", true);
}

std::vector<const char*> axis_keys() {
  std::vector<const char*> keys{"value"};
  for (const Binning& binning : binnings()) keys.insert(keys.end(), binning.keys.begin(), binning.keys.end());
  keys.insert(keys.end(), {"growing", "circular", "underflow", "overflow", "label", "unit"});
  return keys;
}

}  // namespace

AxisConfig read_axis(const JsonValue& value, const std::string& what, Diagnostics& diagnostics) {
  const ObjectReader object(value, what, axis_keys(), diagnostics);
  AxisConfig axis;
  if (!object.is_object()) return axis;
  if (auto text = object.required_text("value")) axis.value = std::move(*text);
  check_binning(object);
  read_binning(object, axis);
  read_flow(object, axis);
  if (auto text = object.text("label")) axis.label = std::move(text->value);
  if (auto text = object.text("unit")) axis.unit = std::move(text->value);
  return axis;
}

}  // namespace skimline::skims
