// SPDX-License-Identifier: BSD-3-Clause
#include "growing_axis.h"

#include <algorithm>

namespace skimline::histograms {
namespace {

constexpr std::size_t kLeastCapacity = 8;

}  // namespace

bool has_growing_axis(std::span<const Axis> axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.is_growing(); });
}

GrowingAxis::GrowingAxis(const Axis& axis)
    : capacity_(std::max(kLeastCapacity, static_cast<std::size_t>(axis.num_bins()))) {
  if (!axis.is_growing()) return;
  names_ = axis.names();
  numbers_ = axis.numbers();
  for (const std::string& name : names_) by_name_.emplace(name, static_cast<std::int32_t>(by_name_.size()));
  for (const std::int64_t number : numbers_)
    by_number_.emplace(number, static_cast<std::int32_t>(by_number_.size()));
}

void GrowingAxis::index(std::span<const std::string_view> values, std::int32_t* cells) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [category, is_new] =
        by_name_.try_emplace(std::string(values[i]), static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.emplace_back(values[i]);
    cells[i] = category->second + 1;
  }
}

void GrowingAxis::index(std::span<const std::int64_t> values, std::int32_t* cells) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [category, is_new] =
        by_number_.try_emplace(values[i], static_cast<std::int32_t>(numbers_.size()));
    if (is_new) numbers_.push_back(values[i]);
    cells[i] = category->second + 1;
  }
}

void GrowingAxis::grow() {
  while (is_too_small()) capacity_ *= 2;
}

}  // namespace skimline::histograms
