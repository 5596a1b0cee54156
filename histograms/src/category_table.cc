// SPDX-License-Identifier: BSD-3-Clause
#include "category_table.h"

#include "skimline/framework/error.h"

namespace skimline::histograms {

CategoryTable::CategoryTable(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_)
    if (!by_name_.emplace(name, static_cast<std::int32_t>(by_name_.size())).second)
      throw ConfigError("the category \"" + name + "\" is given twice");
}

CategoryTable::CategoryTable(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {
  for (const std::int64_t number : numbers_)
    if (!by_number_.emplace(number, static_cast<std::int32_t>(by_number_.size())).second)
      throw ConfigError("the category " + std::to_string(number) + " is given twice");
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
