// SPDX-License-Identifier: BSD-3-Clause
#include "axis_bins.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <array>

namespace skimline::histograms {

void AxisBins::index(std::span<const float> values, std::int32_t* cells) const {
  std::array<double, 256> copies;
  for (std::size_t first = 0; first < values.size(); first += copies.size()) {
    const std::size_t count = std::min(copies.size(), values.size() - first);
    std::copy_n(values.data() + first, count, copies.begin());
    index(std::span<const double>(copies.data(), count), cells + first);
  }
}

void AxisBins::index(std::span<const std::string_view>, std::int32_t*) const {
  throw InternalError("texts on an axis without such categories");
}

void AxisBins::index(std::span<const std::int64_t>, std::int32_t*) const {
  throw InternalError("integers on an axis without such categories");
}

const std::vector<double>& AxisBins::edges() const {
  static const std::vector<double> none;
  return none;
}

const std::vector<std::string>& AxisBins::names() const {
  static const std::vector<std::string> none;
  return none;
}

const std::vector<std::int64_t>& AxisBins::numbers() const {
  static const std::vector<std::int64_t> none;
  return none;
}

}  // namespace skimline::histograms
