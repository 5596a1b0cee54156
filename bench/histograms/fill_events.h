// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks of fills fill, the same for all programs: 2 M Gaussian values on each of three axes,
// with weights between 0.5 and 1.5. Also compiled as C++17, as ROOT's headers want.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace fills {

constexpr std::size_t kNumValues = 2'000'000;

/// Axes of 100 bins; the variable one has 50, wider towards the ends.
constexpr int kBins = 100;
constexpr double kLow = -4, kHigh = 4;

struct Events {
  std::vector<double> x, y, z, weights;

  Events() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    std::uniform_real_distribution<double> uniform(0.5, 1.5);
    for (std::size_t i = 0; i < kNumValues; ++i) {
      x.push_back(gauss(random));
      y.push_back(gauss(random));
      z.push_back(gauss(random));
      weights.push_back(uniform(random));
    }
  }
};

inline const Events& events() {
  static const Events made;
  return made;
}

inline std::vector<double> variable_edges() {
  std::vector<double> edges;
  for (int i = 0; i <= 50; ++i) {
    const double position = -1 + i / 25.0;
    edges.push_back(kHigh * position * (0.5 + 0.5 * std::fabs(position)));
  }
  return edges;
}

}  // namespace fills
