// SPDX-License-Identifier: BSD-3-Clause
#include "axis_bins.h"

#include "skimline/framework/error.h"

namespace skimline::histograms {

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
