// SPDX-License-Identifier: BSD-3-Clause
// Finding the bins of categories.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::histograms {

/// The categories of an axis in their order, texts or integers.
class CategoryTable {
 public:
  explicit CategoryTable(std::vector<std::string> names);
  explicit CategoryTable(std::vector<std::int64_t> numbers);
  // The keys of the map are views of the names.
  CategoryTable(const CategoryTable&) = delete;
  CategoryTable& operator=(const CategoryTable&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }

  /// Number of a category, from 0; -1 if there is no such.
  std::int32_t find(std::string_view name) const;
  std::int32_t find(std::int64_t number) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::int64_t> numbers_;
  std::unordered_map<std::string_view, std::int32_t> by_name_;
  std::unordered_map<std::int64_t, std::int32_t> by_number_;
};

}  // namespace skimline::histograms
