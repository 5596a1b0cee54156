// SPDX-License-Identifier: BSD-3-Clause
// Categories that one slot has met so far, in the order in which it met them.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/histograms/axis.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::histograms {

bool has_growing_axis(std::span<const Axis> axes);

/// A growing axis as one slot sees it: cells are those of Axis, with room for more categories than there are.
/// Of other axes it is a placeholder.
class GrowingAxis {
 public:
  explicit GrowingAxis(const Axis& axis);

  /// Writes the cells of the values, which get categories where they have none. Room does not grow.
  void index(std::span<const std::string_view> values, std::int32_t* cells);
  void index(std::span<const std::int64_t> values, std::int32_t* cells);

  /// Cells for which there is room. The one behind the categories is not used.
  std::size_t num_cells() const { return capacity_ + 2; }
  /// Whether there are more categories than room, and makes room for them.
  bool is_too_small() const { return num_categories() > capacity_; }
  void grow();

  /// The categories met, in the order of their cells, beginning with those of the axis.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  std::size_t num_categories() const { return names_.size() + numbers_.size(); }

 private:
  std::size_t capacity_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> numbers_;
  std::unordered_map<std::string, std::int32_t> by_name_;
  std::unordered_map<std::int64_t, std::int32_t> by_number_;
};

}  // namespace skimline::histograms
