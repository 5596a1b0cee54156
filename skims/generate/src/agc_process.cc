// SPDX-License-Identifier: BSD-3-Clause
// Production and decays of tops and W bosons with radiated jets. Masses, widths and branching fractions: PDG
// 2022, rounded.
#include "agc_event.h"
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace skimline::generate {
namespace {

constexpr double kTopMass = 172.5, kTopWidth = 1.4, kWMass = 80.4, kWWidth = 2.1, kBottomMass = 4.8;
constexpr double kMinimumPt = 15, kMaximumPt = 2500;
constexpr std::size_t kMaximumRadiated = 14;
constexpr int kBottom = 5, kTop = 6, kGluon = 21, kW = 24, kTau = 15;

// Bits of statusFlags in NanoAOD: prompt, hard process, from it, first and last copy.
constexpr int kHardFlags = (1 << 0) | (1 << 7) | (1 << 8) | (1 << 12);
constexpr int kLastCopyFlags = (1 << 0) | (1 << 8) | (1 << 13);

Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(double factor, const Vector& a) { return {factor * a.x, factor * a.y, factor * a.z}; }

Vector momentum_of(double pt, double eta, double phi) {
  return {pt * maths::cos(phi), pt * maths::sin(phi), pt * maths::sinh(eta)};
}

// With the longitudinal momentum that a rapidity gives a mass.
Vector at_rapidity(Vector transverse, double mass, double rapidity) {
  const double transverse_mass =
      std::sqrt(mass * mass + transverse.x * transverse.x + transverse.y * transverse.y);
  return {transverse.x, transverse.y, transverse_mass * maths::sinh(rapidity)};
}

class ProcessDrawing {
 public:
  ProcessDrawing(const AgcPhysics& physics, EventRandom& random, AgcEvent& event)
      : physics_(physics), random_(random), event_(event) {}

  void draw() {
    add_incoming();
    const Vector recoil = -1 * add_radiation();
    switch (physics_.process) {
      case AgcProcess::kTopPair:
        add_top_pair(recoil);
        break;
      case AgcProcess::kTopSChannel:
        add_top_with_bottom(recoil);
        break;
      case AgcProcess::kTopTChannel:
        add_top_with_forward_quark(recoil);
        break;
      case AgcProcess::kTopW:
        add_top_with_w(recoil);
        break;
      case AgcProcess::kWJets:
        add_w_with_jets(recoil);
        break;
    }
    add_soft_particles();
  }

 private:
  // ---- processes

  void add_top_pair(const Vector& recoil) {
    const Vector pull = draw_pull(), middle = 0.5 * recoil;
    const double boost = 0.7 * random_.normal();
    const int sign = draw_sign();
    decay_top(at_rapidity(middle + pull, kTopMass, boost + 0.7 * random_.normal()), sign, false);
    decay_top(at_rapidity(middle - pull, kTopMass, boost + 0.7 * random_.normal()), -sign, false);
  }

  void add_top_with_bottom(const Vector& recoil) {
    const Vector pull = draw_pull();
    const int sign = draw_sign();
    decay_top(at_rapidity(recoil + pull, kTopMass, 1.1 * random_.normal()), sign, true);
    const Vector bottom = at_rapidity(-1 * pull, kBottomMass, 1.3 * random_.normal());
    add_quark(bottom, -sign * kBottom, 0, kBottomMass);
  }

  // A light quark goes forward; the partner of the b quark from the proton is soft.
  void add_top_with_forward_quark(const Vector& recoil) {
    const Vector pull = draw_pull();
    const int sign = draw_sign();
    decay_top(at_rapidity(recoil + pull, kTopMass, 1.1 * random_.normal()), sign, false);
    const int side = draw_sign();
    const double rapidity = side * (2.3 + 1.0 * random_.normal());
    add_quark(at_rapidity(-1 * pull, 0, rapidity), random_.happens(0.7) ? 2 : -1, 0, 0);
    add_spectator(-sign * kBottom, 10, 1.6 * random_.normal());
  }

  // A quark that a gluon of the proton leaves behind when the other of the pair takes part.
  void add_spectator(int pdg_id, double lowest_pt, double eta) {
    const double pt = draw_falling_pt(lowest_pt, 1.8);
    add_quark(momentum_of(pt, eta, random_.azimuth()), pdg_id, 0, kBottomMass);
  }

  void add_top_with_w(const Vector& recoil) {
    const Vector pull = draw_pull(), middle = 0.5 * recoil;
    const int sign = draw_sign();
    decay_top(at_rapidity(middle + pull, kTopMass, 1.0 * random_.normal()), sign, false);
    const double w_mass = draw_w_mass();
    decay_w(at_rapidity(middle - pull, kWMass, 1.0 * random_.normal()), w_mass, -sign, 0, false);
    if (random_.happens(0.7)) add_spectator(-sign * kBottom, 18, 1.2 * random_.normal());
  }

  void add_w_with_jets(const Vector& recoil) {
    const double pt = draw_parent_pt(physics_.top_scale, random_), azimuth = random_.azimuth();
    const Vector transverse = recoil + momentum_of(pt, 0, azimuth);
    const int charge = random_.happens(0.57) ? 1 : -1;
    const double w_mass = draw_w_mass();
    decay_w(at_rapidity(transverse, kWMass, 1.5 * random_.normal()), w_mass, charge, 0, true);
  }

  // ---- decays

  void decay_top(const Vector& momentum, int sign, bool is_leptonic) {
    const double mass = kTopMass + draw_breit_wigner(kTopWidth), w_mass = draw_w_mass();
    const int top = add_copies(sign * kTop, momentum, mass, 0);
    const auto [bottom, w] = decay_in_flight({momentum, mass}, kBottomMass, w_mass, random_);
    add_quark(bottom, sign * kBottom, top, kBottomMass);
    decay_w(w, w_mass, sign, top, is_leptonic);
  }

  void decay_w(const Vector& momentum, double mass, int charge, int mother, bool is_leptonic) {
    constexpr double kPerLepton = 0.1086;
    const int w = add_copies(charge * kW, momentum, mass, mother);
    const auto [first, second] = decay_in_flight({momentum, mass}, 0, 0, random_);
    const double u = random_.uniform() * (is_leptonic ? 3 * kPerLepton : 1);
    const int generation = static_cast<int>(u / kPerLepton);
    if (generation < 3) {
      const int lepton = 11 + 2 * generation;
      add_lepton(first, -charge * lepton, w);
      add_neutrino(second, charge * (lepton + 1), w);
    } else {
      const bool has_charm = random_.happens(0.5);
      add_quark(first, charge * (has_charm ? 4 : 2), w, 0);
      add_quark(second, -charge * (has_charm ? 3 : 1), w, 0);
    }
  }

  void add_lepton(const Vector& momentum, int pdg_id, int mother) {
    const int index = add_generated(pdg_id, momentum, 0, mother, 1, kHardFlags);
    if (std::abs(pdg_id) == kTau)
      decay_tau(momentum, pdg_id, index);
    else
      event_.leptons.add({momentum, pdg_id, LeptonOrigin::kPrompt, index});
  }

  void decay_tau(const Vector& momentum, int pdg_id, int mother) {
    const double kind = random_.uniform();
    const bool is_hadronic = kind > 0.352;
    const double share =
        is_hadronic ? random_.uniform(0.25, 0.95) : std::min(random_.uniform(), random_.uniform());
    const Vector visible = share * momentum;
    const int sign = pdg_id > 0 ? 1 : -1;
    add_neutrino((1 - share) * momentum, sign * (kTau + 1), mother);
    if (is_hadronic) {
      event_.partons.add({visible, pdg_id});
      return;
    }
    const int lepton = sign * (kind < 0.178 ? 11 : 13);
    const int index = add_generated(lepton, visible, 0, mother, 1, kLastCopyFlags);
    event_.leptons.add({visible, lepton, LeptonOrigin::kTau, index});
  }

  void add_neutrino(const Vector& momentum, int pdg_id, int mother) {
    add_generated(pdg_id, momentum, 0, mother, 1, kHardFlags);
    event_.missing.x += momentum.x;
    event_.missing.y += momentum.y;
  }

  // Hadrons of heavy quarks may decay to leptons, which stay in the jet.
  void add_quark(const Vector& momentum, int pdg_id, int mother, double mass) {
    const int index = add_copies(pdg_id, momentum, mass, mother);
    event_.partons.add({momentum, pdg_id});
    const int flavour = std::abs(pdg_id);
    const double per_lepton = flavour == kBottom ? 0.11 : flavour == 4 ? 0.05 : 0;
    const double kind = random_.uniform();
    if (kind > 2 * per_lepton) return;
    const int lepton = (pdg_id > 0 ? 1 : -1) * (kind < per_lepton ? 11 : 13);
    const Vector part = 0.6 * std::min(random_.uniform(), random_.uniform()) * momentum;
    const Vector neutrino = 0.5 * part;
    event_.missing.x += neutrino.x;
    event_.missing.y += neutrino.y;
    const int generated = add_generated(lepton, part, 0, index, 1, kLastCopyFlags);
    event_.leptons.add({part, lepton, LeptonOrigin::kHadron, generated});
  }

  // ---- radiation

  // Returns the sum of the momenta.
  Vector add_radiation() {
    const double mean = physics_.num_radiated_jets, more = mean / (1 + mean);
    Vector sum;
    for (std::size_t n = 0; n < kMaximumRadiated && random_.happens(more); ++n) {
      const double pt = draw_falling_pt(kMinimumPt, physics_.radiation_index);
      const double eta = draw_jet_eta(random_), phi = random_.azimuth();
      sum = sum + add_radiated(pt, eta, phi);
    }
    event_.num_lhe_jets = static_cast<int>(std::min<std::size_t>(event_.partons.size, 4));
    return sum;
  }

  Vector add_radiated(double pt, double eta, double phi) {
    const Vector momentum = momentum_of(pt, eta, phi);
    const double kind = random_.uniform();
    if (kind < physics_.heavy_pairs) {
      const int flavour = kind < 0.5 * physics_.heavy_pairs ? kBottom : 4;
      const double other_phi = wrapped_azimuth(phi + random_.uniform(0.3, 1.2));
      const double other_eta = eta + 0.6 * random_.normal();
      const Vector other = momentum_of(random_.uniform(0.5, 1) * pt, other_eta, other_phi);
      add_quark(momentum, flavour, 0, 0);
      add_quark(other, -flavour, 0, 0);
      return momentum + other;
    }
    const int flavour = kind < 0.1 ? 4 : kind < 0.6 ? kGluon : 1 + static_cast<int>(random_.bits() % 3);
    add_quark(momentum, flavour, 0, 0);
    return momentum;
  }

  double draw_falling_pt(double low, double index) {
    return std::min(low * maths::pow(random_.uniform(), -1 / index), kMaximumPt);
  }

  // ---- generated particles

  void add_incoming() {
    for (const double eta : {23000., -23000.})
      event_.generated.add({0, eta, 0, 0, -1, kGluon, 21, kHardFlags});
  }

  int add_generated(int pdg_id, const Vector& momentum, double mass, int mother, int status, int flags) {
    const auto index = static_cast<int>(event_.generated.size);
    event_.generated.add({transverse_momentum(momentum), pseudorapidity(momentum),
                          maths::atan2(momentum.y, momentum.x), mass, mother, pdg_id, status, flags});
    return index;
  }

  // As generators do: the particle of the hard process, and what radiation makes of it.
  int add_copies(int pdg_id, const Vector& momentum, double mass, int mother) {
    const int index = add_generated(pdg_id, momentum, mass, mother, 22, kHardFlags);
    if (random_.happens(0.3)) return index;
    AgcGeneratedParticle copy = event_.generated.items[index];
    copy.pt *= random_.uniform(0.9, 1);
    copy.mother = index;
    copy.status = 62;
    copy.status_flags = kLastCopyFlags;
    event_.generated.add(copy);
    return index + 1;
  }

  void add_soft_particles() {
    constexpr std::array kCodes = {22, 22, 111, 421, 411, 423, 511, 521, 413, 431, 2112, 4122};
    constexpr std::array kFlags = {2, 8193, 12354, 8450, 5121};
    constexpr std::size_t kLeft = 48;  // so many always fit
    constexpr double kMore = 7. / 8;
    for (std::size_t n = 0; n < kLeft && random_.happens(kMore); ++n) {
      const std::uint64_t bits = random_.bits();
      const int code = kCodes[bits % kCodes.size()];
      const auto mother = static_cast<int>((bits >> 8) % event_.generated.size);
      const double pt = draw_falling_pt(1, 1.5);
      event_.generated.add({pt, 2 * random_.normal(), random_.azimuth(),
                            code == 511 || code == 521 ? 5.28 : 0, mother, (bits >> 40) & 1 ? code : -code,
                            code == 22 ? 1 : 2, kFlags[(bits >> 48) % kFlags.size()]});
    }
  }

  // ---- numbers

  int draw_sign() { return random_.happens(0.5) ? 1 : -1; }

  // Half the difference of the transverse momenta of two heavy particles.
  Vector draw_pull() {
    const double azimuth = random_.azimuth();
    return momentum_of(draw_parent_pt(physics_.top_scale, random_), 0, azimuth);
  }

  // Tails end three widths from the peak.
  double draw_breit_wigner(double width) { return 0.5 * width * maths::tan(1.4056 * random_.uniform(-1, 1)); }
  double draw_w_mass() { return kWMass + draw_breit_wigner(kWWidth); }

  const AgcPhysics& physics_;
  EventRandom& random_;
  AgcEvent& event_;
};

}  // namespace

void draw_agc_process(const AgcPhysics& physics, EventRandom& random, AgcEvent& event) {
  ProcessDrawing(physics, random, event).draw();
}

}  // namespace skimline::generate
