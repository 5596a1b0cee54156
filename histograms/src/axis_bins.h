// SPDX-License-Identifier: BSD-3-Clause
// Where values lie on an axis: what its kinds have to know. Cells are those of Axis.
#pragma once

#include "skimline/histograms/axis_kind.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::histograms {

/// The bins of one axis. Immutable.
class AxisBins {
 public:
  virtual ~AxisBins() = default;

  /// What the axis is filled with.
  virtual AxisValues values() const { return AxisValues::kNumbers; }
  /// Writes the cell of every value. Texts and integers are for categories only, else an InternalError.
  virtual void index(std::span<const double> values, std::int32_t* cells) const = 0;
  virtual void index(std::span<const float> values, std::int32_t* cells) const;
  virtual void index(std::span<const std::string_view> values, std::int32_t* cells) const;
  virtual void index(std::span<const std::int64_t> values, std::int32_t* cells) const;

  /// What the bins go by; empty where that is something else.
  virtual const std::vector<double>& edges() const;
  virtual const std::vector<std::string>& names() const;
  virtual const std::vector<std::int64_t>& numbers() const;
};

}  // namespace skimline::histograms
