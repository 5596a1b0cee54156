// SPDX-License-Identifier: BSD-3-Clause
#include "axis_union.h"

#include "skimline/framework/number_text.h"
#include "skimline/histograms/axis_kinds.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace skimline::histograms {
namespace {

std::string name_of(AxisKind kind) { return std::string(traits_of(kind).description); }

std::string number(double value) { return significant_digits(value, 17); }

std::string range_of(const Axis& axis) { return "[" + number(axis.low()) + ", " + number(axis.high()) + ")"; }

template <typename T>
std::vector<T> sorted_union(const std::vector<T>& left, const std::vector<T>& right) {
  std::set<T> all(left.begin(), left.end());
  all.insert(right.begin(), right.end());
  return {all.begin(), all.end()};
}

bool are_fixed_texts(const Axis& left, const Axis& right) {
  return left.values() == AxisValues::kTexts && right.values() == AxisValues::kTexts && !left.is_growing() &&
         !right.is_growing();
}

// Those of the left, then what only the right one has: the steps of cutflows are in an order.
Axis united_texts(const Axis& left, const Axis& right) {
  std::vector<std::string> names = left.names();
  const std::set<std::string> known(names.begin(), names.end());
  for (const std::string& name : right.names())
    if (!known.contains(name)) names.push_back(name);
  return Axis::categories(std::move(names));
}

Axis united(const Axis& left, const Axis& right) {
  if (have_same_bins(left, right)) return left;
  if (are_fixed_texts(left, right)) {
    Axis axis = united_texts(left, right);
    axis.label = left.label;
    axis.unit = left.unit;
    return axis;
  }
  if (!left.is_growing()) return left;
  Axis axis = left.values() == AxisValues::kTexts
                  ? Axis::categories(sorted_union(left.names(), right.names()), true)
                  : Axis::categories(sorted_union(left.numbers(), right.numbers()), true);
  axis.label = left.label;
  axis.unit = left.unit;
  return axis;
}

template <typename T>
std::vector<std::size_t> places_of(const std::vector<T>& categories, const Axis& axis) {
  std::vector<T> values(categories);
  std::vector<std::int32_t> cells(values.size());
  if constexpr (std::is_same_v<T, std::string>) {
    const std::vector<std::string_view> views(values.begin(), values.end());
    axis.index(views, cells.data());
  } else {
    axis.index(std::span<const std::int64_t>(values), cells.data());
  }
  return {cells.begin(), cells.end()};
}

}  // namespace

std::string difference_of(const Axis& left, const Axis& right) {
  if (left.kind() != right.kind())
    return name_of(left.kind()) + " in one, " + name_of(right.kind()) + " in the other";
  if ((left.is_growing() && right.is_growing()) || are_fixed_texts(left, right)) return {};
  if (left.num_bins() != right.num_bins())
    return std::to_string(left.num_bins()) + " bins in one, " + std::to_string(right.num_bins()) +
           " in the other";
  if (left.low() != right.low() || left.high() != right.high())
    return range_of(left) + " in one, " + range_of(right) + " in the other";
  const auto edge = std::mismatch(left.edges().begin(), left.edges().end(), right.edges().begin());
  if (edge.first != left.edges().end())
    return "edge " + std::to_string(edge.first - left.edges().begin()) + " is " + number(*edge.first) +
           " in one, " + number(*edge.second) + " in the other";
  if (left.names() != right.names() || left.numbers() != right.numbers()) return "other categories";
  if (!have_same_bins(left, right)) return "other cells around the bins";
  return {};
}

std::vector<Axis> united(std::span<const Axis> left, std::span<const Axis> right) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < left.size(); ++i) axes.push_back(united(left[i], right[i]));
  return axes;
}

std::vector<std::size_t> cells_in(const Axis& from, const Axis& to) {
  std::vector<std::size_t> cells;
  if (!from.is_category()) {
    for (std::size_t cell = 0; cell < from.num_cells(); ++cell) cells.push_back(cell);
    return cells;
  }
  cells = from.values() == AxisValues::kTexts ? places_of(from.names(), to) : places_of(from.numbers(), to);
  cells.insert(cells.begin(), 0);
  cells.push_back(to.num_cells() - 1);
  return cells;
}

}  // namespace skimline::histograms
