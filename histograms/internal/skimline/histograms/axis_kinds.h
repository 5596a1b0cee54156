// SPDX-License-Identifier: BSD-3-Clause
// The kinds of axes that there are, and in what they differ: one table for all code that treats them alike.
#pragma once

#include "skimline/histograms/axis.h"

#include <span>
#include <string_view>

namespace skimline::histograms {

/// One kind of axes.
struct AxisKindTraits {
  AxisKind kind;
  std::string_view name;         ///< "integer"
  std::string_view description;  ///< of its bins: "bins of equal width"
  AxisValues values;
  BinsBy bins_by;
  /// What formats note of it which know how bins are told, but not the kind; empty if that says all.
  std::string_view note;
  /// Throws ConfigError if there is no such axis.
  Axis (*make)(const AxisDefinition& definition);
};

/// All kinds, by their numbers.
std::span<const AxisKindTraits> axis_kinds();

const AxisKindTraits& traits_of(AxisKind kind);

}  // namespace skimline::histograms
