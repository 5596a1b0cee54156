// SPDX-License-Identifier: BSD-3-Clause
#include "histogram_state.h"

#include "skimline/framework/error.h"
#include "skimline/histograms/axis_kinds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using histograms::Axis;
using histograms::AxisDefinition;
using histograms::ExactCells;
using histograms::ExactSum;
using histograms::Histogram;
using histograms::Integer128;
using histograms::Statistics;
using histograms::SumParts;
using histograms::SumWindow;

constexpr int kStateVersion = 1;
constexpr std::size_t kStateParts = 12;
// As files of exact sums have them: 2^64 fills of parts of 50 bits are less.
constexpr std::int64_t kMaxHighOfSum = std::int64_t{1} << 50;
constexpr std::int64_t kMaxHighOfCell = std::int64_t{1} << 54;

[[noreturn]] void refuse(std::string_view why) {
  throw Error("the pickle of a histogram is damaged: " + std::string(why));
}

template <typename T>
py::bytes bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// `count` numbers, or also none if that is allowed.
template <typename T>
std::vector<T> numbers_of(const py::handle& object, std::size_t count, bool may_be_empty = false) {
  const std::string_view bytes = py::cast<std::string_view>(object);
  if (may_be_empty && bytes.empty()) return {};
  if (bytes.size() != count * sizeof(T)) refuse("it has another number of cells than its axes");
  std::vector<T> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

py::tuple state_of(const Statistics& statistics) {
  return py::make_tuple(statistics.weight, statistics.weight_squared, statistics.position,
                        statistics.position_squared, statistics.position_product, statistics.weighted_value,
                        statistics.weighted_value_squared);
}

Statistics statistics_of(const py::tuple& state) {
  using Doubles = std::vector<double>;
  return {py::cast<double>(state[0]),  py::cast<double>(state[1]),  py::cast<Doubles>(state[2]),
          py::cast<Doubles>(state[3]), py::cast<Doubles>(state[4]), py::cast<double>(state[5]),
          py::cast<double>(state[6])};
}

py::tuple state_of(const ExactCells& cells) {
  py::list places;
  for (int place = 0; place < cells.num_places(); ++place)
    places.append(py::make_tuple(bytes_of(cells.low(place)), bytes_of(cells.high(place))));
  return py::make_tuple(cells.window().number(), py::tuple(places));
}

ExactCells cells_of(const py::tuple& state, std::size_t num_cells) {
  ExactCells cells(num_cells);
  cells.set_window(SumWindow::numbered(py::cast<int>(state[0])));
  const auto places = py::cast<py::tuple>(state[1]);
  for (std::size_t place = 0; place < places.size(); ++place) {
    const auto numbers = py::cast<py::tuple>(places[place]);
    auto low = numbers_of<std::int64_t>(numbers[0], num_cells, true);
    auto high = numbers_of<std::int64_t>(numbers[1], num_cells, true);
    for (const std::int64_t number : high)
      if (number >= kMaxHighOfCell || number < -kMaxHighOfCell) refuse("it has an impossible sum");
    cells.assign(static_cast<int>(place), std::move(low), std::move(high));
  }
  return cells;
}

py::tuple state_of(const ExactSum& sum) {
  py::list parts;
  for (int place = 0; place < sum.window().places_to(sum.parts().lowest()); ++place) {
    const Integer128 part = sum.parts().of(sum.window().number() - place);
    parts.append(static_cast<std::uint64_t>(part));
    parts.append(static_cast<std::int64_t>(part >> 64));
  }
  return py::make_tuple(sum.window().number(), sum.is_infinite(), py::tuple(parts));
}

ExactSum sum_of(const py::tuple& state) {
  const auto window = SumWindow::numbered(py::cast<int>(state[0]));
  const auto numbers = py::cast<py::tuple>(state[2]);
  SumParts parts;
  for (std::size_t place = 0; 2 * place < numbers.size(); ++place) {
    const auto low = py::cast<std::uint64_t>(numbers[2 * place]);
    const auto high = py::cast<std::int64_t>(numbers[2 * place + 1]);
    if (high >= kMaxHighOfSum || high < -kMaxHighOfSum) refuse("it has an impossible sum");
    parts.add(window.number() - static_cast<int>(place),
              static_cast<Integer128>(high) * (Integer128{1} << 64) + static_cast<Integer128>(low));
  }
  return {window, parts, py::cast<bool>(state[1])};
}

template <typename T>
py::tuple states_of(const std::vector<T>& all) {
  py::list states;
  for (const T& each : all) states.append(state_of(each));
  return {states};
}

Axis axis_of(const py::dict& facts) {
  AxisDefinition definition;
  definition.num_bins = py::cast<int>(facts["bins"]);
  definition.low = py::cast<double>(facts["low"]);
  definition.high = py::cast<double>(facts["high"]);
  definition.edges = py::cast<std::vector<double>>(facts["edges"]);
  definition.names = py::cast<std::vector<std::string>>(facts["names"]);
  definition.numbers = py::cast<std::vector<std::int64_t>>(facts["numbers"]);
  definition.is_growing = py::cast<bool>(facts["growing"]);
  definition.flow = {py::cast<bool>(facts["underflow"]), py::cast<bool>(facts["overflow"]),
                     py::cast<bool>(facts["circular"])};
  const auto kind = py::cast<std::string>(facts["kind"]);
  for (const histograms::AxisKindTraits& traits : histograms::axis_kinds()) {
    if (traits.name != kind) continue;
    Axis axis = traits.make(definition);
    axis.label = py::cast<std::string>(facts["label"]);
    axis.unit = py::cast<std::string>(facts["unit"]);
    return axis;
  }
  refuse("it has an axis of an unknown kind");
}

histograms::Storage storage_named(const std::string& name) {
  for (const histograms::StorageTraits& traits : histograms::storages())
    if (traits.name == name) return traits.storage;
  refuse("it has an unknown storage");
}

void restore_exact_sums(Histogram& histogram, const py::tuple& cells, const py::tuple& positions) {
  const std::size_t num_sums = has_weights(histogram.storage) ? histograms::num_sums(histogram.storage) : 0;
  if (cells.size() != num_sums || positions.size() != histograms::num_position_sums(histogram.axes.size()))
    refuse("it lacks exact sums");
  for (const py::handle each : cells)
    histogram.exact_cells.push_back(cells_of(py::cast<py::tuple>(each), histogram.num_cells()));
  for (const py::handle each : positions)
    histogram.exact_positions.push_back(sum_of(py::cast<py::tuple>(each)));
  histogram.has_exact_sums = true;
}

}  // namespace

py::dict facts_of(const Axis& axis) {
  py::dict values;
  values["kind"] = traits_of(axis.kind()).name;
  values["bins"] = axis.num_bins();
  values["low"] = axis.low();
  values["high"] = axis.high();
  values["edges"] = axis.edges();
  values["names"] = axis.names();
  values["numbers"] = axis.numbers();
  values["growing"] = axis.is_growing();
  values["underflow"] = axis.flow().underflow;
  values["overflow"] = axis.flow().overflow;
  values["circular"] = axis.flow().circular;
  values["label"] = axis.label;
  values["unit"] = axis.unit;
  return values;
}

py::tuple state_of(const Histogram& histogram) {
  py::list axes, sums;
  for (const Axis& axis : histogram.axes) axes.append(facts_of(axis));
  for (std::size_t i = 0; i < histograms::num_sums(histogram.storage); ++i)
    sums.append(bytes_of(histogram.sums.at(i)));
  py::object exact = py::none();
  if (histogram.has_exact_sums)
    exact = py::make_tuple(states_of(histogram.exact_cells), states_of(histogram.exact_positions));
  return py::make_tuple(kStateVersion, histogram.name, histogram.title, histogram.value_title,
                        traits_of(histogram.storage).name, py::tuple(axes), py::tuple(sums),
                        histogram.entries, histogram.num_nan, histogram.num_bad_weights,
                        state_of(histogram.statistics), exact);
}

Histogram histogram_of(const py::tuple& state) {
  if (state.size() != kStateParts || py::cast<int>(state[0]) != kStateVersion)
    throw Error("the pickle of a histogram was made by another version of skimline");
  Histogram histogram;
  histogram.name = py::cast<std::string>(state[1]);
  histogram.title = py::cast<std::string>(state[2]);
  histogram.value_title = py::cast<std::string>(state[3]);
  histogram.storage = storage_named(py::cast<std::string>(state[4]));
  for (const py::handle facts : state[5]) histogram.axes.push_back(axis_of(py::cast<py::dict>(facts)));
  const auto sums = py::cast<py::tuple>(state[6]);
  if (sums.size() != histograms::num_sums(histogram.storage)) refuse("it lacks sums");
  for (std::size_t i = 0; i < sums.size(); ++i)
    histogram.sums.at(i) = numbers_of<double>(sums[i], histogram.num_cells());
  histogram.entries = py::cast<std::uint64_t>(state[7]);
  histogram.num_nan = py::cast<std::uint64_t>(state[8]);
  histogram.num_bad_weights = py::cast<std::uint64_t>(state[9]);
  histogram.statistics = statistics_of(py::cast<py::tuple>(state[10]));
  if (!state[11].is_none()) {
    const auto exact = py::cast<py::tuple>(state[11]);
    restore_exact_sums(histogram, py::cast<py::tuple>(exact[0]), py::cast<py::tuple>(exact[1]));
  }
  return histogram;
}

}  // namespace skimline::python
