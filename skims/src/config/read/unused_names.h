// SPDX-License-Identifier: BSD-3-Clause
// Definitions, weights and constants of a config that nothing uses.
#pragma once

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Warns, each at its place, of the definitions, weights and luminosity of a config that no sample needs.
/// `unused_by_sample` has what JobPlan::unused_names() gave for each of those that are processed.
std::vector<std::string> warnings_of_unused(const Config& config,
                                            const std::vector<std::vector<std::string>>& unused_by_sample);

}  // namespace skimline::skims
