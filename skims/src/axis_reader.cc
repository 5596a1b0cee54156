// SPDX-License-Identifier: BSD-3-Clause
#include "axis_reader.h"

#include <cmath>

namespace skimline::skims {
namespace {

constexpr double kMaximumBins = 10'000'000;

void read_bins(const JsonValue& value, AxisConfig& axis, Diagnostics& diagnostics) {
  const auto bins = read_number(value, "\"bins\"", diagnostics);
  if (!bins) return;
  if (*bins < 1 || *bins > kMaximumBins || *bins != std::floor(*bins))
    diagnostics.add(value.location, "\"bins\" must be a whole number from 1 to 10000000");
  else
    axis.bins = static_cast<int>(*bins);
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
  axis.low = (*range)[0];
  axis.high = (*range)[1];
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
  axis.edges = *edges;
}

void read_binning(const ObjectReader& object, AxisConfig& axis) {
  const JsonValue* bins = object.find("bins");
  const JsonValue* range = object.find("range");
  const JsonValue* edges = object.find("edges");
  if (edges && (bins || range))
    object.diagnostics().add(edges->location, "give either \"bins\" and \"range\" or \"edges\", not both");
  else if (!edges && !(bins && range))
    object.diagnostics().add(object.opening(), "an axis needs \"bins\" and \"range\", or \"edges\"");
  if (bins) read_bins(*bins, axis, object.diagnostics());
  if (range) read_range(*range, axis, object.diagnostics());
  if (edges) read_edges(*edges, axis, object.diagnostics());
}

}  // namespace

AxisConfig read_axis(const JsonValue& value, Diagnostics& diagnostics) {
  const ObjectReader object(value, "\"x\"", {"value", "bins", "range", "edges", "label", "unit"},
                            diagnostics);
  AxisConfig axis;
  if (value.kind != JsonKind::kObject) return axis;
  if (auto text = object.required_text("value")) axis.value = std::move(*text);
  read_binning(object, axis);
  if (auto text = object.text("label")) axis.label = std::move(text->value);
  if (auto text = object.text("unit")) axis.unit = std::move(text->value);
  return axis;
}

}  // namespace skimline::skims
