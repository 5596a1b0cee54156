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
constexpr std::size_t kBlock = 1024;

// Writes the cells of values of any type, one by one, given the number of their category.
template <typename Values, typename Find>
void index_each(const Values& values, std::int32_t overflow, std::int32_t* cells, Find find) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int32_t category = find(values[i]);
    cells[i] = category < 0 ? overflow : category + 1;
  }
}

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

Axis Axis::regular(int bins, double low, double high, AxisFlow flow) {
  if (bins < 1 || bins > kMaxBins)
    throw ConfigError("the number of bins must be from 1 to " + std::to_string(kMaxBins) + ", not " +
                      std::to_string(bins));
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low))
    throw ConfigError("the range of an axis must be finite and increasing");
  return between(AxisKind::kRegular, bins, low, high, flow);
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
  axis.bins_ = std::make_shared<const BinTable>(std::move(edges));
  return axis;
}

Axis Axis::integer(std::int32_t first, std::int32_t last, AxisFlow flow) {
  const std::int64_t bins = std::int64_t{last} - first + 1;
  if (bins < 1) throw ConfigError("the first integer of an axis must not be above the last one");
  if (bins > kMaxBins) throw ConfigError("the integers of an axis must not be more than 100 million");
  return between(AxisKind::kInteger, static_cast<int>(bins), first, std::int64_t{last} + 1, flow);
}

Axis Axis::categories(std::vector<std::string> names, bool is_growing) {
  if (names.empty() && !is_growing) throw ConfigError("an axis needs a category, or has to grow");
  if (names.size() > kMaxBins) throw ConfigError("too many categories");
  Axis axis = between(AxisKind::kStringCategories, static_cast<int>(names.size()), 0,
                      static_cast<double>(names.size()), {.underflow = false, .overflow = !is_growing});
  axis.is_growing_ = is_growing;
  axis.categories_ = std::make_shared<const CategoryTable>(std::move(names));
  return axis;
}

Axis Axis::categories(std::vector<std::int64_t> numbers, bool is_growing) {
  if (numbers.empty() && !is_growing) throw ConfigError("an axis needs a category, or has to grow");
  if (numbers.size() > kMaxBins) throw ConfigError("too many categories");
  Axis axis = between(AxisKind::kIntegerCategories, static_cast<int>(numbers.size()), 0,
                      static_cast<double>(numbers.size()), {.underflow = false, .overflow = !is_growing});
  axis.is_growing_ = is_growing;
  axis.categories_ = std::make_shared<const CategoryTable>(std::move(numbers));
  return axis;
}

const std::vector<double>& Axis::edges() const {
  static const std::vector<double> none;
  return bins_ ? bins_->edges() : none;
}

const std::vector<std::string>& Axis::names() const {
  static const std::vector<std::string> none;
  return categories_ ? categories_->names() : none;
}

const std::vector<std::int64_t>& Axis::numbers() const {
  static const std::vector<std::int64_t> none;
  return categories_ ? categories_->numbers() : none;
}

void Axis::index(std::span<const double> values, std::int32_t* cells) const {
  if (is_category() || !flow_.circular) return index_numbers(values, cells);
  std::array<double, kBlock> moved;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    move_into_range(values.subspan(first, count), low_, high_, moved.data());
    index_numbers({moved.data(), count}, cells + first);
  }
}

void Axis::index_numbers(std::span<const double> values, std::int32_t* cells) const {
  constexpr double kEnd = 0x1p63;
  switch (kind_) {
    case AxisKind::kRegular:
      return RegularBins{num_bins_, low_, high_}.index(values, cells);
    case AxisKind::kInteger:
      return IntegerBins{low_, high_}.index(values, cells);
    case AxisKind::kVariable:
      return bins_->index(values, cells);
    default:
      return index_each(values, num_bins_ + 1, cells, [&](double value) {
        const bool is_integer = value >= -kEnd && value < kEnd && value == std::trunc(value);
        return is_integer ? categories_->find(static_cast<std::int64_t>(value)) : -1;
      });
  }
}

void Axis::index(std::span<const std::string_view> values, std::int32_t* cells) const {
  index_each(values, num_bins_ + 1, cells, [&](std::string_view name) { return categories_->find(name); });
}

void Axis::index(std::span<const std::int64_t> values, std::int32_t* cells) const {
  index_each(values, num_bins_ + 1, cells, [&](std::int64_t number) { return categories_->find(number); });
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
