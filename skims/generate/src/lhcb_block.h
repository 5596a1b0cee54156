// SPDX-License-Identifier: BSD-3-Clause
// The columns of candidates of charged B mesons that decay to three hadrons, as in LHCb's open data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace skimline::generate {

struct LhcbHadronColumns {
  std::vector<double> px, py, pz, prob_kaon, prob_pion;
  std::vector<std::int32_t> charge;
  std::vector<double> impact_chi2;
  std::vector<std::int32_t> is_muon;
};

struct LhcbBlock {
  std::vector<double> flight_distance, vertex_chi2;
  std::array<LhcbHadronColumns, 3> hadrons;
};

}  // namespace skimline::generate
