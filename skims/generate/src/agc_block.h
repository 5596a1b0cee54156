// SPDX-License-Identifier: BSD-3-Clause
// The columns of the AGC's events: some of those of CMS's NanoAOD of 2015.
#pragma once

#include "adl_block.h"
#include "agc_attributes.h"

#include <array>
#include <cstdint>
#include <vector>

namespace skimline::generate {

using Bytes = std::vector<std::uint8_t>;
using Counts = std::vector<std::uint32_t>;

struct AgcEventColumns {
  Counts run, luminosity_block;
  std::vector<std::uint64_t> event;
  Floats weight, lhe_ht;
  Bytes num_lhe_jets;
  Integers parton1, parton2, num_pileup, num_vertices, num_good_vertices;
  Floats num_true_interactions, energy_density;
  Floats met_pt, met_phi, met_sumet, met_significance;
  AttributeColumns<kAgcEventAttributes.size()> attributes;
  std::array<Flags, kAgcTriggers.size()> triggers;
};

struct AgcLeptonColumns : ParticleColumns {
  Floats isolation03, dxy, dxy_error, dz, dz_error, ip3d, sip3d;
  Integers pdg_id, tight_charge;
  Bytes generated_flavour;
};

struct AgcElectronColumns : AgcLeptonColumns {
  Integers cut_based;
  Flags is_no_conversion;
  AttributeColumns<kAgcElectronAttributes.size()> attributes;
};

struct AgcMuonColumns : AgcLeptonColumns {
  Floats isolation04;
  Integers num_stations, num_layers;
  Flags is_global, is_medium, is_soft, is_tight;
  Bytes isolation_points;
  AttributeColumns<kAgcMuonAttributes.size()> attributes;
};

struct AgcJetColumns : KinematicColumns {
  Floats btag;
  Integers id, pileup_id, electron_index, muon_index;
  Integers generated_index, hadron_flavour, parton_flavour;
  Bytes num_constituents;
  AttributeColumns<kAgcJetAttributes.size()> attributes;
};

struct AgcGeneratedJetColumns : KinematicColumns {
  Integers parton_flavour;
  Bytes hadron_flavour;
};

struct AgcGeneratedParticleColumns : KinematicColumns {
  Integers mother, pdg_id, status, status_flags;
};

/// A list of weights per event.
struct AgcWeightColumns {
  Counts counts, offsets{0};
  Floats values;
};

struct AgcBlock {
  AgcEventColumns events;
  AgcElectronColumns electrons;
  AgcMuonColumns muons;
  AgcJetColumns jets;
  AgcGeneratedJetColumns generated_jets;
  AgcGeneratedParticleColumns generated_particles;
  AgcWeightColumns pdf_weights, scale_weights, shower_weights;
};

}  // namespace skimline::generate
