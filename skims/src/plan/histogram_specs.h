// SPDX-License-Identifier: BSD-3-Clause
// From what a config says about a histogram to what a HistogramSet books.
#pragma once

#include "skimline/framework/type.h"
#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Returns why an axis cannot take values of a type; empty if it can.
std::string problem_on(const AxisConfig& axis, const Type& type);

/// Returns why a type cannot be a weight, or the value of a profile; empty if it can.
std::string problem_as_number(const Type& type);

/// Returns the axis for values of a type that has no problem on it. Throws ConfigError as
/// histograms::Axis does.
histograms::Axis axis_of(const AxisConfig& config, const Type& type);

/// Returns what is booked, but for the name. `types` are those of the values on the axes.
histograms::HistogramSpec spec_of(const HistogramConfig& config, const std::vector<Type>& types);

/// Returns why no ROOT file can hold such a histogram, whatever is filled; empty if one may.
std::string problem_in_root_file(const histograms::HistogramSpec& spec, io::CellType type);

/// How the histograms of a run are placed. `threads` as in JobOptions.
histograms::HistogramSetOptions set_options(const Config& config, int threads);

}  // namespace skimline::skims
