// SPDX-License-Identifier: BSD-3-Clause
// The samples of the AGC and what their events are drawn from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::generate {

enum class AgcProcess { kTopPair, kTopSChannel, kTopTChannel, kTopW, kWJets };

/// What the events of a sample are drawn from.
struct AgcPhysics {
  AgcProcess process;
  double num_radiated_jets;  ///< mean number above 15 GeV
  double radiation_index;    ///< those fall like pt^-(1 + index)
  double heavy_pairs;        ///< share of radiated gluons that become two b or two c quarks
  double top_scale;          ///< of the pt of the tops, or of the W of W+jets, in GeV
};

struct AgcSample {
  const char* process;
  const char* variation;
  AgcPhysics physics;

  std::string name() const { return std::string(process) + "__" + variation; }
};

/// All samples, in the order of the AGC. A sample's place decides its random numbers: new ones come last.
const std::vector<AgcSample>& agc_samples();

/// Their names, "process__variation".
std::vector<std::string> agc_sample_names();

/// Returns the place of a sample. Throws ConfigError with the nearest name.
std::size_t find_agc_sample(std::string_view name);

}  // namespace skimline::generate
