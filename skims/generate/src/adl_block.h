// SPDX-License-Identifier: BSD-3-Clause
// The columns of the ADL benchmark's events: those of CMS's NanoAOD of 2012 for education.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace skimline::generate {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;
using Flags = std::vector<std::uint8_t>;

struct AdlEventColumns {
  Flags passes_iso_mu24_eta2p1, passes_iso_mu24, passes_iso_mu17_tau20;
  Floats vertex_x, vertex_y, vertex_z;
  Floats met_pt, met_phi, met_sumet, met_significance, met_cov_xx, met_cov_xy, met_cov_yy;
};

/// What jets have too.
struct KinematicColumns {
  std::vector<std::uint32_t> counts, offsets{0};
  Floats pt, eta, phi, mass;
};

struct ParticleColumns : KinematicColumns {
  Integers charge, jet_index, generated_index;
};

struct AdlLeptonColumns : ParticleColumns {
  Floats isolation03, dxy, dxy_error, dz, dz_error;
};
struct AdlMuonColumns : AdlLeptonColumns {
  Floats isolation04;
  Flags is_tight, is_soft;
};
struct AdlElectronColumns : AdlLeptonColumns {
  Flags passes_cuts, passes_particle_flow;
};

struct AdlTauColumns : ParticleColumns {
  static constexpr std::size_t kNumIdentifications = 11;
  Integers decay_mode;
  Floats isolation, raw_isolation;
  /// Decay mode, four of isolation, three against electrons, three against muons.
  std::array<Flags, kNumIdentifications> identifications;
};

struct AdlPhotonColumns : ParticleColumns {
  Floats isolation03;
};

struct AdlJetColumns : KinematicColumns {
  Flags passes_pileup;
  Floats btag;
};

struct AdlBlock {
  AdlEventColumns events;
  AdlMuonColumns muons;
  AdlElectronColumns electrons;
  AdlTauColumns taus;
  AdlPhotonColumns photons;
  AdlJetColumns jets;
};

}  // namespace skimline::generate
