// SPDX-License-Identifier: BSD-3-Clause
// Finding the bins of categories.
#pragma once

#include "axis_bins.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::histograms {

/// The categories of an axis in their order, texts or integers.
class CategoryTable : public AxisBins {
 public:
  explicit CategoryTable(std::vector<std::string> names);
  explicit CategoryTable(std::vector<std::int64_t> numbers);
  // The keys of the map are views of the names.
  CategoryTable(const CategoryTable&) = delete;
  CategoryTable& operator=(const CategoryTable&) = delete;

  AxisValues values() const override { return values_; }
  const std::vector<std::string>& names() const override { return names_; }
  const std::vector<std::int64_t>& numbers() const override { return numbers_; }

  /// What is no category is in the overflow cell; so are numbers that are no integers.
  void index(std::span<const double> values, std::int32_t* cells) const override;
  void index(std::span<const std::string_view> values, std::int32_t* cells) const override;
  void index(std::span<const std::int64_t> values, std::int32_t* cells) const override;

 private:
  // Number of a category, from 0; -1 if there is no such.
  std::int32_t find(std::string_view name) const;
  std::int32_t find(std::int64_t number) const;
  std::int32_t overflow() const { return static_cast<std::int32_t>(names_.size() + numbers_.size()) + 1; }

  AxisValues values_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> numbers_;
  std::unordered_map<std::string_view, std::int32_t> by_name_;
  std::unordered_map<std::int64_t, std::int32_t> by_number_;
};

}  // namespace skimline::histograms
