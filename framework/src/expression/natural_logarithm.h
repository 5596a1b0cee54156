// SPDX-License-Identifier: BSD-3-Clause
// The natural logarithm with the same bits on every machine.
#pragma once

namespace skimline {

/// The natural logarithm of a finite number above 0. Up to 1/4 the error is below one unit in the last place,
/// beyond below three.
double natural_logarithm(double x);

}  // namespace skimline
