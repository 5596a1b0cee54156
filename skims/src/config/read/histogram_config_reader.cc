// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/histogram_config_reader.h"

#include "config/json/name_checks.h"
#include "config/read/axis_reader.h"

#include <array>

namespace skimline::skims {
namespace {

using histograms::BadWeights;
using histograms::NanPositions;
using io::CellType;

// ROOT has other classes, or none, for more.
constexpr std::size_t kMaxDenseAxes = 3;
// ROOT files hold the name and the title of an object, and more, in 32 kB.
constexpr std::size_t kMaxTitleSize = 8000;

std::optional<CellType> type_of(const ObjectReader& object) {
  constexpr std::array kTypes{CellType::kDouble, CellType::kFloat, CellType::kInt};
  const auto choice = object.choice("type", {"double", "float", "int"});
  return choice ? std::optional(kTypes[*choice]) : std::nullopt;
}

// Who wants no weight says so.
bool counts(const HistogramConfig& histogram) {
  return histogram.weight && histogram.weight->value == "1" && histogram.weight_variations.empty();
}

}  // namespace

void HistogramConfigReader::read_defaults(const JsonValue& value) {
  const ObjectReader object(value, "\"histogram_defaults\"", {"type", "nan", "bad_weight", "weight"},
                            diagnostics_);
  read_rules(object, defaults_);
  if (object.find("weight")) defaults_.weight = object.text("weight");
  defaults_.type = type_of(object).value_or(defaults_.type);
}

HistogramConfig HistogramConfigReader::read(const Text& name, const JsonValue& value) const {
  check_object_name(name, "a histogram", diagnostics_);
  const ObjectReader object(value, "the histogram \"" + name.value + "\"",
                            {"x", "y", "z", "axes", "profile", "weight", "weight_variations", "title", "type",
                             "nan", "bad_weight", "after", "regions", "where"},
                            diagnostics_);
  HistogramConfig histogram = defaults_;
  histogram.name = name;
  if (!object.is_object()) return histogram;
  if (const auto title = object.text("title")) {
    histogram.title = title->value;
    if (title->value.size() > kMaxTitleSize) diagnostics_.add(title->location, "\"title\" is too long");
  }
  read_axes(object, histogram);
  if (const JsonValue* profile = object.find("profile")) read_profile(*profile, histogram);
  read_weights(object, histogram);
  read_type(object, histogram);
  read_rules(object, histogram);
  if (counts(histogram)) histogram.weight.reset();
  if (const JsonValue* rule = object.find("bad_weight");
      rule && !object.find("weight") && !histogram.weight && !histogram.profile)
    diagnostics_.add(rule->location, "\"bad_weight\" needs a \"weight\" or a \"profile\"");
  histogram.events = events_.of_histogram(object);
  return histogram;
}

void HistogramConfigReader::read_rules(const ObjectReader& object, HistogramConfig& histogram) const {
  if (const auto choice = object.choice("nan", {"overflow", "fail"}))
    histogram.nan_positions = *choice == 0 ? NanPositions::kOverflow : NanPositions::kRefuse;
  if (const auto choice = object.choice("bad_weight", {"fail", "skip"}))
    histogram.bad_weights = *choice == 0 ? BadWeights::kRefuse : BadWeights::kSkip;
}

// A default is for those histograms that can have it.
void HistogramConfigReader::read_type(const ObjectReader& object, HistogramConfig& histogram) const {
  const bool can_be_int = !histogram.weight;
  const bool has_type = !object.find("profile") && histogram.axes.size() <= kMaxDenseAxes;
  if (!has_type || (histogram.type == CellType::kInt && !can_be_int)) histogram.type = CellType::kDouble;
  const JsonValue* found = object.find("type");
  const std::optional<CellType> type = type_of(object);
  if (found && !has_type)
    diagnostics_.add(found->location, "\"type\" is for histograms with up to three axes, and no \"profile\"");
  else if (type == CellType::kInt && !can_be_int)
    diagnostics_.add(found->location, "\"int\" cannot hold the sums of a \"weight\"");
  else
    histogram.type = type.value_or(histogram.type);
}

void HistogramConfigReader::read_weights(const ObjectReader& object, HistogramConfig& histogram) const {
  const JsonValue* type = object.find("type");
  const bool is_count = type && type->text == "int";
  if (object.find("weight") || is_count) histogram.weight = object.text("weight");
  const JsonValue* variations = object.find("weight_variations");
  if (!variations) return;
  if (!object.find("weight") && !histogram.weight)
    diagnostics_.add(variations->location, "\"weight_variations\" needs a \"weight\", the one they vary");
  for_each_named(*variations, "\"weight_variations\"", diagnostics_,
                 [&](const Text& name, const JsonValue& each) {
                   check_object_name(name, "a weight variation", diagnostics_);
                   auto weight = read_text(each, "the weight variation \"" + name.value + "\"", diagnostics_);
                   if (name.value == "nominal")
                     diagnostics_.add(name.location, "\"nominal\" is what the \"weight\" itself is called");
                   else if (weight)
                     histogram.weight_variations.push_back({name, std::move(*weight)});
                 });
}

void HistogramConfigReader::read_axes(const ObjectReader& object, HistogramConfig& histogram) const {
  const JsonValue* axes = object.find("axes");
  const char* outer = nullptr;
  for (const char* key : {"x", "y", "z"}) {
    const JsonValue* axis = object.find(key);
    if (axis && axes)
      diagnostics_.add(axes->location, "give either \"axes\" or \"" + std::string(key) + "\", not both");
    if (axis && outer && !object.find(outer))
      diagnostics_.add(axis->location, "\"" + std::string(key) + "\" needs \"" + outer + "\" before it");
    if (axis) histogram.axes.push_back(read_axis(*axis, "\"" + std::string(key) + "\"", diagnostics_));
    outer = key;
  }
  if (!axes) {
    if (histogram.axes.empty()) object.require("x");
    return;
  }
  if (axes->kind != JsonKind::kList)
    diagnostics_.add(axes->location, "\"axes\" must be a list, got " + name_of(axes->kind));
  else if (axes->items.empty())
    diagnostics_.add(axes->location, "\"axes\" must not be empty");
  for (const JsonValue& axis : axes->items)
    histogram.axes.push_back(read_axis(axis, "each item of \"axes\"", diagnostics_));
}

void HistogramConfigReader::read_profile(const JsonValue& value, HistogramConfig& histogram) const {
  const ObjectReader object(value, "\"profile\"", {"value", "label", "unit"}, diagnostics_);
  ProfileConfig profile;
  if (auto text = object.required_text("value")) profile.value = std::move(*text);
  if (auto text = object.text("label")) profile.label = std::move(text->value);
  if (auto text = object.text("unit")) profile.unit = std::move(text->value);
  if (histogram.axes.size() > kMaxDenseAxes)
    diagnostics_.add(value.location, "a \"profile\" has three axes at most");
  histogram.profile = std::move(profile);
}

}  // namespace skimline::skims
