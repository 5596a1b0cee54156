// SPDX-License-Identifier: BSD-3-Clause
// Histograms as JSON that follows the schema of UHI, which Python's histogram libraries read.
#pragma once

#include "skimline/histograms/histogram.h"

#include <span>
#include <string>

namespace skimline::skims {

/// Returns one object with a histogram of UHI's schema 1 by each name. Counts have the storage "int",
/// weighted histograms "weighted", and profiles "mean" or, if any weight is not 1, "weighted_mean", whose
/// values and variances are those that boost-histogram defines; they are 0 where too few fills define none.
/// Flow cells that an axis lacks are left out; those of a circular axis are one. Throws ConfigError if a name
/// is empty, "uhi_schema" or that of two histograms, or if a number is not finite, which JSON cannot say.
std::string to_uhi_json(std::span<const histograms::Histogram> histograms);

}  // namespace skimline::skims
