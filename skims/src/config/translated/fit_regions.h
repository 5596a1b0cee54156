// SPDX-License-Identifier: BSD-3-Clause
// Regions of TRExFitter, each with its histogram.
#pragma once

#include "config/translated/fit_translation.h"

#include <string>

namespace skimline::skims {

/// All samples and systematics must have been added.
void add_region(const FitBlock& region, FitTranslation& fit);

/// A cut, which has a name if samples ignore it; "true" for none.
std::string selection(const std::string& text, const std::string& name, FitTranslation& fit);

}  // namespace skimline::skims
