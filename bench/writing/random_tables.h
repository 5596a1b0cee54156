// SPDX-License-Identifier: BSD-3-Clause
// The entries of the synthetic writing benchmark of "Parallel Writing of Nested Data in Columnar Formats"
// (Hahnfeld, Blomer, Kollegger, 2024): an event number and Poisson(5) floats in [0, 100), from tables so that
// making them costs next to nothing. The tables have 65 549 values: pages differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace skimline::bench {

constexpr std::size_t kTableSize = 64 * 1024 + 13;

struct RandomTables {
  explicit RandomTables(unsigned seed) {
    std::mt19937 random(seed);
    std::poisson_distribution<std::uint32_t> size(5);
    std::uniform_real_distribution<float> value(0, 100);
    for (std::size_t i = 0; i < kTableSize; ++i) {
      sizes.push_back(size(random));
      values.push_back(value(random));
      num_values += sizes.back();
    }
  }

  std::vector<std::uint32_t> sizes;
  std::vector<float> values;
  std::size_t num_values = 0;  ///< that the lists of the table have together
};

}  // namespace skimline::bench
