// SPDX-License-Identifier: BSD-3-Clause
// The mass of pairs of particles that each decay into something seen and something unseen.
#pragma once

namespace skimline {

/// The seen side of one decay: its mass and transverse momentum, and the mass of what is unseen.
struct SemiInvisible {
  double mass = 0, px = 0, py = 0;
  double invisible = 0;
};

/// The smallest mass, over all divisions of the missing transverse momentum, that both particles can have:
/// C. G. Lester, D. J. Summers, Phys. Lett. B 463 (1999) 99. Masses below 0 count as 0. NaN for numbers that
/// are not finite.
double stransverse_mass(const SemiInvisible& a, const SemiInvisible& b, double missing_x, double missing_y);

}  // namespace skimline
