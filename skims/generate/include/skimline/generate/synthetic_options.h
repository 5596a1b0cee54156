// SPDX-License-Identifier: BSD-3-Clause
// Which synthetic events are made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skimline::generate {

/// What the events look like; columns are named and stored as in CMS NanoAOD (GeV, rad, cm), if not said
/// otherwise.
enum class SyntheticModel {
  /// 25 columns. Z and J/psi decays to two muons over a continuum, W-like single muons, jets, missing
  /// momentum.
  kDimuon,
  /// 14 columns. Two leading jets with a falling mass spectrum, drawn flat in the logarithm of the mass; the
  /// weights `genWeight` make up for it and span twelve orders of magnitude.
  kDijet,
  /// 86 columns: the events of the IRIS-HEP ADL benchmark, CMS's NanoAOD of 2012. Muons from W and Z,
  /// electrons, taus with NaN among their isolations, photons, and up to 57 jets, 3.2 on average; floats are
  /// not rounded.
  kAdl,
  /// 127 columns: events of the samples of the analysis grand challenge (AGC), some of CMS's NanoAOD of 2015.
  /// Top
  /// pairs, single tops and W bosons with jets; floats are rounded as in NanoAOD.
  kAgc,
  /// 26 columns, double and int: candidates of B mesons that decay to three kaons, over a background, as in
  /// LHCb's open data (MeV, mm).
  kLhcb,
};

/// Returns the model called "dimuon", "dijet", "adl", "agc" or "lhcb". Throws ConfigError with the nearest
/// name.
SyntheticModel parse_synthetic_model(std::string_view name);

/// Which events; those of a larger `num_events` begin with those of a smaller one.
struct SyntheticOptions {
  SyntheticModel model = SyntheticModel::kDimuon;
  std::uint64_t num_events = 0;
  std::uint64_t seed = 1;
  std::string sample{};  ///< of kAgc: one of agc_sample_names()
};

}  // namespace skimline::generate
