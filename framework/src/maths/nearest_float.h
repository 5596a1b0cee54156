// SPDX-License-Identifier: BSD-3-Clause
// The float that is nearest to a number of which an approximation is known.
#pragma once

#include "maths/double_double.h"

#include <limits>

namespace skimline {

/// Of the error of quick functions, relative to the result, with much room.
constexpr double kQuickError = 0x1p-44;

/// The nearest float of a number, or NaN where an approximation with the given relative error does not say
/// which.
[[gnu::always_inline]] inline float nearest_float(double approximation, double relative_error = kQuickError) {
  const double error = approximation * relative_error;
  const auto one = static_cast<float>(approximation - error),
             other = static_cast<float>(approximation + error);
  // The sum keeps the sign of zeros.
  return one == other ? other : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace skimline
