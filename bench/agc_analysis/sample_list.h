// SPDX-License-Identifier: BSD-3-Clause
// The list of samples that bench/agc hands to programs: a line for each, words apart by blanks.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Sample {
  std::string process, variation;
  double weight = 0;  // of each event
  std::string path;

  bool is_nominal() const { return variation == "nominal"; }
  std::string name() const { return process + "__" + variation; }
};

inline std::vector<Sample> read_samples(const std::string& list) {
  std::ifstream file(list);
  std::vector<Sample> samples;
  for (Sample one; file >> one.process >> one.variation >> one.weight >> one.path;) samples.push_back(one);
  if (samples.empty()) throw std::runtime_error(list + ": no samples");
  return samples;
}
