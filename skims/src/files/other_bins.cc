// SPDX-License-Identifier: BSD-3-Clause
#include "files/other_bins.h"

#include "base/text_table.h"
#include "files/value_text.h"
#include "report/plotted_bins.h"

#include "skimline/histograms/axis_kinds.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace skimline::skims {
namespace {

using histograms::Axis;

std::vector<std::string> categories_of(const Axis& axis) {
  std::vector<std::string> categories;
  for (std::size_t i = 0; axis.is_category() && i < static_cast<std::size_t>(axis.num_bins()); ++i)
    categories.push_back(bin_name(axis, i));
  return categories;
}

// The first that differs.
std::string other_categories(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  const auto [one, other] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  const auto shown_of = [](auto category, auto end) {
    return category == end ? "no more" : in_quotes(*category);
  };
  return "category " + std::to_string(one - left.begin() + 1) + " is " + shown_of(one, left.end()) +
         ", and " + shown_of(other, right.end());
}

std::string limits_of(const Axis& axis) {
  return std::to_string(axis.num_bins()) + " from " + number_text(axis.low()) + " to " +
         number_text(axis.high());
}

}  // namespace

std::string other_bins(const Axis& left, const Axis& right) {
  const std::vector<std::string> left_names = categories_of(left), right_names = categories_of(right);
  if (!left_names.empty() && !right_names.empty() && left_names != right_names)
    return other_categories(left_names, right_names);
  if (limits_of(left) != limits_of(right)) return limits_of(left) + ", and " + limits_of(right);
  if (left.kind() != right.kind())
    return std::string(traits_of(left.kind()).description) + ", and " +
           std::string(traits_of(right.kind()).description);
  const std::size_t num_edges = std::min(left.edges().size(), right.edges().size());
  for (std::size_t i = 0; i < num_edges; ++i)
    if (left.edges()[i] != right.edges()[i])
      return "edge " + std::to_string(i) + " at " + number_text(left.edges()[i]) + ", and at " +
             number_text(right.edges()[i]);
  if (left.is_growing() != right.is_growing()) return "one that grows, and one that does not";
  return "what belongs into no bin is counted in one, and not in the other";
}

}  // namespace skimline::skims
