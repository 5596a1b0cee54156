// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/axis.h"

#include "bin_search.h"
#include "category_table.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace skimline::histograms {
namespace {

constexpr int kMaxBins = 100'000'000;
constexpr std::size_t kMovedAtOnce = 1024;

}  // namespace

Axis Axis::between(AxisKind kind, int bins, double low, double high, AxisFlow flow) {
  Axis axis;
  axis.kind_ = kind;
  axis.num_bins_ = bins;
  axis.low_ = low;
  axis.high_ = high;
  axis.flow_ = flow;
  return axis;
}

void Axis::set_bins(std::shared_ptr<const AxisBins> bins) {
  values_ = bins->values();
  bins_ = std::move(bins);
}

Axis Axis::regular(int bins, double low, double high, AxisFlow flow) {
  if (bins < 1 || bins > kMaxBins)
    throw ConfigError("the number of bins must be from 1 to " + std::to_string(kMaxBins) + ", not " +
                      std::to_string(bins));
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low))
    throw ConfigError("the range of an axis must be finite and increasing");
  Axis axis = between(AxisKind::kRegular, bins, low, high, flow);
  axis.set_bins(std::make_shared<const RegularBins>(bins, low, high));
  return axis;
}

Axis Axis::variable(std::vector<double> edges, AxisFlow flow) {
  if (edges.size() < 2) throw ConfigError("an axis needs at least two edges");
  if (edges.size() > kMaxBins) throw ConfigError("too many edges");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!std::isfinite(edges[i])) throw ConfigError("edge " + std::to_string(i) + " is not finite");
    if (i > 0 && !(edges[i - 1] < edges[i]))
      throw ConfigError("edges must increase: edge " + std::to_string(i) + " does not");
  }
  Axis axis =
      between(AxisKind::kVariable, static_cast<int>(edges.size()) - 1, edges.front(), edges.back(), flow);
  axis.set_bins(std::make_shared<const BinTable>(std::move(edges)));
  return axis;
}

Axis Axis::integer(std::int32_t first, std::int32_t last, AxisFlow flow) {
  const std::int64_t bins = std::int64_t{last} - first + 1;
  if (bins < 1) throw ConfigError("the first integer of an axis must not be above the last one");
  if (bins > kMaxBins) throw ConfigError("the integers of an axis must not be more than 100 million");
  Axis axis =
      between(AxisKind::kInteger, static_cast<int>(bins), first, first + static_cast<double>(bins), flow);
  axis.set_bins(std::make_shared<const IntegerBins>(axis.low_, axis.high_));
  return axis;
}

template <typename Categories>
Axis Axis::of_categories(AxisKind kind, Categories categories, bool is_growing) {
  if (categories.empty() && !is_growing) throw ConfigError("an axis needs a category, or has to grow");
  if (categories.size() > kMaxBins) throw ConfigError("too many categories");
  Axis axis = between(kind, static_cast<int>(categories.size()), 0, static_cast<double>(categories.size()),
                      {.underflow = false, .overflow = !is_growing});
  axis.is_growing_ = is_growing;
  axis.set_bins(std::make_shared<const CategoryTable>(std::move(categories)));
  return axis;
}

Axis Axis::categories(std::vector<std::string> names, bool is_growing) {
  return of_categories(AxisKind::kStringCategories, std::move(names), is_growing);
}

Axis Axis::categories(std::vector<std::int64_t> numbers, bool is_growing) {
  return of_categories(AxisKind::kIntegerCategories, std::move(numbers), is_growing);
}

const std::vector<double>& Axis::edges() const { return bins_->edges(); }
const std::vector<std::string>& Axis::names() const { return bins_->names(); }
const std::vector<std::int64_t>& Axis::numbers() const { return bins_->numbers(); }

void Axis::index(std::span<const double> values, std::int32_t* cells) const {
  if (!flow_.circular) return bins_->index(values, cells);
  std::array<double, kMovedAtOnce> moved;
  for (std::size_t first = 0; first < values.size(); first += kMovedAtOnce) {
    const std::size_t count = std::min(kMovedAtOnce, values.size() - first);
    move_into_range(values.subspan(first, count), low_, high_, moved.data());
    bins_->index(std::span<const double>(moved.data(), count), cells + first);
  }
}

void Axis::index(std::span<const float> values, std::int32_t* cells) const {
  if (!flow_.circular) return bins_->index(values, cells);
  const std::vector<double> copies(values.begin(), values.end());
  index(copies, cells);
}

void Axis::index(std::span<const std::string_view> values, std::int32_t* cells) const {
  bins_->index(values, cells);
}

void Axis::index(std::span<const std::int64_t> values, std::int32_t* cells) const {
  bins_->index(values, cells);
}

std::string Axis::title() const {
  if (unit.empty()) return label;
  return label.empty() ? "[" + unit + "]" : label + " [" + unit + "]";
}

bool have_same_bins(const Axis& left, const Axis& right) {
  return left.kind_ == right.kind_ && left.num_bins_ == right.num_bins_ && left.low_ == right.low_ &&
         left.high_ == right.high_ && left.is_growing_ == right.is_growing_ && left.flow_ == right.flow_ &&
         left.edges() == right.edges() && left.names() == right.names() && left.numbers() == right.numbers();
}

}  // namespace skimline::histograms
