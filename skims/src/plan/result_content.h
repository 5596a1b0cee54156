// SPDX-License-Identifier: BSD-3-Clause
// What tells results of a plan apart: what they are computed from, not what a config calls them.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/histograms/histogram_spec.h"

#include <functional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Whether a result is known, so that it need not be computed.
using IsKnown = std::function<bool(const ValueContent&)>;

/// The values of `expressions` for the entries of a selection, in the bins of a histogram.
ValueContent histogram_content(PlanBuilder& builder, SelectionId selection,
                               const std::vector<VariedExpression>& expressions,
                               const histograms::HistogramSpec& spec);

/// The number of entries that pass a selection.
ValueContent count_content(const PlanBuilder& builder, SelectionId selection);

/// The sum of a weight over them.
ValueContent weight_content(PlanBuilder& builder, SelectionId selection, const std::string& weight);

/// The values of columns or definitions, for the entries that pass a selection.
ValueContent skim_content(PlanBuilder& builder, SelectionId selection, const std::vector<std::string>& names);

}  // namespace skimline::skims
