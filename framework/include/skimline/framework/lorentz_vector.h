// SPDX-License-Identifier: BSD-3-Clause
// Four-vectors of momentum and energy as values of expressions.
#pragma once

namespace skimline {

/// Momentum and energy in Cartesian components, in the unit of the input, usually GeV.
struct LorentzVector {
  double x = 0;
  double y = 0;
  double z = 0;
  double energy = 0;
};

}  // namespace skimline
