// SPDX-License-Identifier: BSD-3-Clause
// Histograms as JSON that follows the schema of UHI, which Python's histogram libraries read.
#pragma once

#include "skimline/histograms/histogram.h"
#include "skimline/skims/run_record.h"

#include <span>
#include <string>

namespace skimline::skims {

/// Returns one object with a histogram of UHI's schema 1 by each name. Counts have the storage "int",
/// weighted histograms "weighted", and profiles "mean" or, if any weight is not 1, "weighted_mean", whose
/// values and variances are those that boost-histogram defines; they are 0 where too few fills define none.
/// Flow cells that an axis lacks are left out; those of a circular axis are one. Throws ConfigError if a name
/// is empty, "uhi_schema" or that of two histograms, or if a number is not finite, which JSON cannot say.
///
/// The cutflows of a record, if one is given, follow under the names that they have in ROOT files. The
/// writer_info of each "skimline/cutflow/<sample>" has the text of a record of this sample only.
std::string to_uhi_json(std::span<const histograms::Histogram> histograms, const RunRecord* record = nullptr);

}  // namespace skimline::skims
