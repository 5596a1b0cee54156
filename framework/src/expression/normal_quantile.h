// SPDX-License-Identifier: BSD-3-Clause
// The inverse of the normal distribution.
#pragma once

namespace skimline {

/// The number that a standard normal variable is below with probability `p`: -inf for 0, inf for 1, NaN
/// outside. Relative error about 1e-15. Algorithm AS 241 (PPND16): M. J. Wichura, "The percentage points of
/// the normal distribution", Applied Statistics 37 (1988) 477.
double normal_quantile(double p);

}  // namespace skimline
