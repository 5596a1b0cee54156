// SPDX-License-Identifier: BSD-3-Clause
// Systematics of TRExFitter: variations of weights, and samples of other files.
#pragma once

#include "config/translated/fit_translation.h"

namespace skimline::skims {

void add_systematic(const FitBlock& systematic, FitTranslation& fit);

}  // namespace skimline::skims
