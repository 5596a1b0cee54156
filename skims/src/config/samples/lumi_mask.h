// SPDX-License-Identifier: BSD-3-Clause
// Golden JSON: the luminosity blocks of data that are certified as good.
#pragma once

#include "config/samples/input_texts.h"

#include "skimline/framework/plan.h"

#include <string>

namespace skimline::skims {

/// Reads `{"run": [[first, last], ...], ...}`: closed ranges of luminosity blocks by run. `place` names it in
/// the config.
RangesByKey read_lumi_mask(const std::string& path, Location place, InputTexts& texts);

}  // namespace skimline::skims
