// SPDX-License-Identifier: BSD-3-Clause
// "plots" of a config: what the record takes along for those who draw the histograms.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What patterns in "plots" may match.
struct PlottedNames {
  std::vector<std::string> samples, sums;  ///< not checked if there are no samples
  std::vector<std::string> regions, histograms;
};

/// Adds an error for all that is wrong in "plots", patterns that match nothing among them.
void check_plots(const JsonValue& value, PlottedNames names, Diagnostics& diagnostics);

/// The same with the names of a config that has been read.
void check_plots(const JsonValue& value, const Config& config, Diagnostics& diagnostics);

/// Returns "plots" of a config as JSON, with what it includes and its variables put in. Inputs are not looked
/// for. Throws ConfigError listing all mistakes in it, or if there is none.
std::string plots_of_config(const std::string& path);

}  // namespace skimline::skims
