// SPDX-License-Identifier: BSD-3-Clause
#include "category_table.h"

#include "skimline/framework/error.h"

#include <cmath>

namespace skimline::histograms {
namespace {

// Writes the cells of values of any type, one by one, given the number of their category.
template <typename Values, typename Find>
void index_each(const Values& values, std::int32_t overflow, std::int32_t* cells, Find find) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int32_t category = find(values[i]);
    cells[i] = category < 0 ? overflow : category + 1;
  }
}

}  // namespace

CategoryTable::CategoryTable(std::vector<std::string> names)
    : values_(AxisValues::kTexts), names_(std::move(names)) {
  for (const std::string& name : names_)
    if (!by_name_.emplace(name, static_cast<std::int32_t>(by_name_.size())).second)
      throw ConfigError("the category \"" + name + "\" is given twice");
}

CategoryTable::CategoryTable(std::vector<std::int64_t> numbers)
    : values_(AxisValues::kIntegers), numbers_(std::move(numbers)) {
  for (const std::int64_t number : numbers_)
    if (!by_number_.emplace(number, static_cast<std::int32_t>(by_number_.size())).second)
      throw ConfigError("the category " + std::to_string(number) + " is given twice");
}

void CategoryTable::index(std::span<const double> values, std::int32_t* cells) const {
  constexpr double kEnd = 0x1p63;
  index_each(values, overflow(), cells, [&](double value) {
    const bool is_integer = value >= -kEnd && value < kEnd && value == std::trunc(value);
    return is_integer ? find(static_cast<std::int64_t>(value)) : -1;
  });
}

void CategoryTable::index(std::span<const std::string_view> values, std::int32_t* cells) const {
  index_each(values, overflow(), cells, [&](std::string_view name) { return find(name); });
}

void CategoryTable::index(std::span<const std::int64_t> values, std::int32_t* cells) const {
  index_each(values, overflow(), cells, [&](std::int64_t number) { return find(number); });
}

std::int32_t CategoryTable::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? -1 : found->second;
}

std::int32_t CategoryTable::find(std::int64_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? -1 : found->second;
}

}  // namespace skimline::histograms
