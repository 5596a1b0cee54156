// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a block as a column holds them.
#pragma once

#include <cstddef>

namespace skimline::histograms {

/// Floats if there are any, else doubles; neither for what has no numbers.
struct Numbers {
  const float* floats = nullptr;
  const double* doubles = nullptr;

  bool are_there() const { return floats != nullptr || doubles != nullptr; }
  double at(std::size_t i) const { return floats != nullptr ? floats[i] : doubles[i]; }
};

}  // namespace skimline::histograms
