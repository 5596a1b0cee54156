// SPDX-License-Identifier: BSD-3-Clause
// One event of model agc: what was produced, and what a detector makes of it.
#pragma once

#include "event_block.h"
#include "event_random.h"
#include "particle_decay.h"
#include "synthetic_model.h"

#include "skimline/generate/agc_samples.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace skimline::generate {

/// An entry of GenPart.
struct AgcGeneratedParticle {
  double pt, eta, phi, mass;
  std::int32_t mother, pdg_id, status, status_flags;
};

/// A quark, gluon or hadronic tau, before it is a jet.
struct AgcParton {
  Vector momentum;
  std::int32_t pdg_id = 21;
};

enum class LeptonOrigin : std::uint8_t { kFake = 0, kPrompt = 1, kHadron = 5, kTau = 15 };

struct AgcTrueLepton {
  Vector momentum;
  std::int32_t pdg_id = 0;
  LeptonOrigin origin = LeptonOrigin::kPrompt;
  std::int32_t generated = -1;  ///< index in GenPart
};

struct AgcGeneratedJet : Jet {
  Vector momentum;
  std::int32_t parton_flavour = 0, hadron_flavour = 0;
};

enum class JetOrigin : std::uint8_t { kParton, kElectron, kMuon, kPileup };

struct AgcJet : Jet {
  JetOrigin origin = JetOrigin::kParton;
  std::int32_t parton_flavour = 0, hadron_flavour = 0;
  std::int32_t generated = -1;  ///< index of the generated jet
};

struct AgcLepton : Lepton {
  LeptonOrigin origin = LeptonOrigin::kPrompt;
  std::int32_t generated = -1;
};

struct AgcEvent {
  ObjectList<AgcGeneratedParticle, 192> generated;
  ObjectList<AgcParton, 40> partons;
  ObjectList<AgcTrueLepton, 16> leptons;
  MissingMomentum missing;
  int num_lhe_jets = 0;

  ObjectList<AgcGeneratedJet, 40> generated_jets;
  ObjectList<AgcJet, 48> jets;
  ObjectList<AgcLepton, 16> electrons, muons;

  /// For the next event; objects are not constructed again.
  void clear() {
    generated.size = partons.size = leptons.size = 0;
    generated_jets.size = jets.size = electrons.size = muons.size = 0;
    missing = {};
    num_lhe_jets = 0;
  }
};

inline double wrapped_azimuth(double angle) {
  if (angle > std::numbers::pi) return angle - 2 * std::numbers::pi;
  return angle < -std::numbers::pi ? angle + 2 * std::numbers::pi : angle;
}

inline double squared_distance(double eta, double phi, const Jet& jet) {
  const double across = eta - jet.eta, around = wrapped_azimuth(phi - jet.phi);
  return across * across + around * around;
}

/// Produces and decays the particles of the process.
void draw_agc_process(const AgcPhysics& physics, EventRandom& random, AgcEvent& event);

/// Makes leptons and jets, in order of falling pt, of what was produced.
void reconstruct_agc_event(EventRandom& random, AgcEvent& event);

}  // namespace skimline::generate
