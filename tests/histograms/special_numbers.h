// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace skimline::histograms::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace skimline::histograms::testing
