// SPDX-License-Identifier: BSD-3-Clause
// In what the bins of two axes differ.
#pragma once

#include "skimline/histograms/axis.h"

#include <string>

namespace skimline::skims {

/// Of two axes whose bins differ: "6 from 0 to 120, and 5 from 0 to 120", or the first category or edge that
/// is another one.
std::string other_bins(const histograms::Axis& left, const histograms::Axis& right);

}  // namespace skimline::skims
