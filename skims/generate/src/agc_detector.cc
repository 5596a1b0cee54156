// SPDX-License-Identifier: BSD-3-Clause
// What a detector makes of the produced particles: resolution, efficiency, pile-up, fakes.
#include "agc_event.h"
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cstdlib>

namespace skimline::generate {
namespace {

constexpr double kElectronPt = 5, kElectronEta = 2.5, kMuonPt = 3, kMuonEta = 2.4;
constexpr double kGeneratedJetPt = 10, kJetPt = 15, kJetEta = 5;
constexpr double kSquaredConeSize = 0.16;

class Reconstruction {
 public:
  Reconstruction(EventRandom& random, AgcEvent& event) : random_(random), event_(event) {}

  void run() {
    make_generated_jets();
    make_jets();
    make_leptons();
    add_fake_leptons();
    add_pileup_jets();
    sort_by_pt(event_.electrons);
    sort_by_pt(event_.muons);
    sort_by_pt(event_.jets);
  }

 private:
  // ---- jets

  // Partons within a cone become one jet; the heaviest flavour names it.
  void make_generated_jets() {
    for (const AgcParton& parton : event_.partons) {
      const AgcGeneratedJet alone = jet_of(parton);
      if (AgcGeneratedJet* near = find_near(alone))
        merge(alone, *near);
      else
        event_.generated_jets.add(alone);
    }
    for (AgcGeneratedJet& jet : event_.generated_jets)
      jet.mass = jet.pt * (0.07 + 0.03 * std::abs(random_.normal())) + 1.5;
    AgcGeneratedJet* end = std::remove_if(event_.generated_jets.begin(), event_.generated_jets.end(),
                                          [](const Jet& jet) { return jet.pt < kGeneratedJetPt; });
    event_.generated_jets.size = static_cast<std::size_t>(end - event_.generated_jets.begin());
    sort_by_pt(event_.generated_jets);
  }

  static void set_direction(AgcGeneratedJet& jet) {
    jet.pt = transverse_momentum(jet.momentum);
    jet.eta = pseudorapidity(jet.momentum);
    jet.phi = maths::atan2(jet.momentum.y, jet.momentum.x);
  }

  static AgcGeneratedJet jet_of(const AgcParton& parton) {
    AgcGeneratedJet jet;
    jet.momentum = parton.momentum;
    set_direction(jet);
    const int code = std::abs(parton.pdg_id);
    jet.parton_flavour = code == 15 ? 0 : parton.pdg_id;
    jet.hadron_flavour = code == 4 || code == 5 ? code : 0;
    return jet;
  }

  AgcGeneratedJet* find_near(const AgcGeneratedJet& jet) {
    AgcGeneratedJet* found = std::find_if(
        event_.generated_jets.begin(), event_.generated_jets.end(),
        [&](const Jet& other) { return squared_distance(jet.eta, jet.phi, other) < kSquaredConeSize; });
    return found == event_.generated_jets.end() ? nullptr : found;
  }

  static void merge(const AgcGeneratedJet& from, AgcGeneratedJet& to) {
    if (from.hadron_flavour > to.hadron_flavour) {
      to.hadron_flavour = from.hadron_flavour;
      to.parton_flavour = from.parton_flavour;
    }
    to.momentum = {to.momentum.x + from.momentum.x, to.momentum.y + from.momentum.y,
                   to.momentum.z + from.momentum.z};
    set_direction(to);
  }

  void make_jets() {
    for (std::size_t i = 0; i < event_.generated_jets.size; ++i) {
      const AgcGeneratedJet& generated = event_.generated_jets.items[i];
      const double resolution = std::sqrt(0.0016 + 0.49 / generated.pt + 4 / (generated.pt * generated.pt));
      const double response = std::max(1 + resolution * random_.normal(), 0.1);
      AgcJet jet;
      static_cast<Jet&>(jet) = generated;
      jet.pt *= response;
      jet.mass *= response;
      jet.eta += 0.02 * random_.normal();
      jet.phi = wrapped_azimuth(jet.phi + 0.02 * random_.normal());
      jet.generated = static_cast<std::int32_t>(i);
      jet.parton_flavour = generated.parton_flavour;
      jet.hadron_flavour = generated.hadron_flavour;
      event_.missing.x -= (response - 1) * generated.momentum.x;
      event_.missing.y -= (response - 1) * generated.momentum.y;
      add_jet(jet);
    }
  }

  void add_pileup_jets() {
    while (random_.happens(0.4)) {
      AgcJet jet;
      jet.origin = JetOrigin::kPileup;
      jet.pt = kJetPt * maths::pow(random_.uniform(), -0.2);
      jet.eta = draw_jet_eta(random_);
      jet.phi = random_.azimuth();
      jet.mass = 0.12 * jet.pt + 1.5;
      add_jet(jet);
    }
  }

  // The mass is what rounding leaves of energy and momentum: that of narrow jets may be negative.
  void add_jet(AgcJet jet) {
    if (jet.pt < kJetPt || std::abs(jet.eta) > kJetEta) return;
    if (random_.happens(0.006)) jet.mass = -0.001 * jet.pt * random_.uniform();
    event_.jets.add(jet);
  }

  // ---- leptons

  void make_leptons() {
    for (const AgcTrueLepton& lepton : event_.leptons) {
      const bool is_electron = std::abs(lepton.pdg_id) == 11;
      AgcLepton found;
      found.pt =
          transverse_momentum(lepton.momentum) * (1 + (is_electron ? 0.025 : 0.015) * random_.normal());
      found.eta = pseudorapidity(lepton.momentum);
      found.phi = maths::atan2(lepton.momentum.y, lepton.momentum.x);
      found.charge = lepton.pdg_id > 0 ? -1 : 1;
      found.origin = lepton.origin;
      found.generated = lepton.generated;
      found.is_isolated = lepton.origin != LeptonOrigin::kHadron && !is_in_jet(found);
      if (found.is_isolated) add_jet_of(found, is_electron);
      if (is_seen(found, is_electron)) (is_electron ? event_.electrons : event_.muons).add(found);
    }
  }

  bool is_seen(const AgcLepton& lepton, bool is_electron) {
    const double efficiency = is_electron ? 0.93 : 0.97;
    return lepton.pt > (is_electron ? kElectronPt : kMuonPt) &&
           std::abs(lepton.eta) < (is_electron ? kElectronEta : kMuonEta) && random_.happens(efficiency);
  }

  bool is_in_jet(const Lepton& lepton) const {
    return std::any_of(event_.jets.begin(), event_.jets.end(), [&](const Jet& jet) {
      return squared_distance(lepton.eta, lepton.phi, jet) < kSquaredConeSize;
    });
  }

  // Jets are made of all particles, leptons too.
  void add_jet_of(const AgcLepton& lepton, bool is_electron) {
    AgcJet jet;
    jet.origin = is_electron ? JetOrigin::kElectron : JetOrigin::kMuon;
    jet.pt = lepton.pt * (1.02 + 0.04 * random_.uniform());
    jet.eta = lepton.eta + 0.003 * random_.normal();
    jet.phi = wrapped_azimuth(lepton.phi + 0.003 * random_.normal());
    jet.mass = 0.08 * jet.pt * random_.uniform() + 0.5;
    add_jet(jet);
  }

  void add_fake_leptons() {
    while (random_.happens(0.17)) add_fake(kElectronPt, kElectronEta, event_.electrons);
    while (random_.happens(0.04)) add_fake(kMuonPt, kMuonEta, event_.muons);
  }

  template <typename List>
  void add_fake(double pt, double eta, List& list) {
    AgcLepton fake;
    fake.pt = pt * maths::pow(random_.uniform(), -0.4);
    fake.eta = random_.uniform(-eta, eta);
    fake.phi = random_.azimuth();
    fake.charge = random_.happens(0.5) ? 1 : -1;
    fake.is_isolated = random_.happens(0.1);
    fake.origin = LeptonOrigin::kFake;
    list.add(fake);
  }

  template <typename List>
  static void sort_by_pt(List& list) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.pt > b.pt; });
  }

  EventRandom& random_;
  AgcEvent& event_;
};

}  // namespace

void reconstruct_agc_event(EventRandom& random, AgcEvent& event) { Reconstruction(random, event).run(); }

}  // namespace skimline::generate
