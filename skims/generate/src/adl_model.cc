// SPDX-License-Identifier: BSD-3-Clause
// Events for the ADL benchmark queries: like those of CMS's NanoAOD of 2012 with a muon trigger. Floats keep
// all their bits, as in those files. Masses: PDG 2022.
#include "particle_decay.h"
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace skimline::generate {
namespace {

constexpr double kMuonMass = 0.1056584, kElectronMass = 0.000511, kPionMass = 0.1395704;
constexpr double kJpsiMass = 3.0969, kWMass = 80.38;
constexpr double kMuonEta = 2.4, kElectronEta = 2.5, kTauEta = 2.3;
constexpr double kMuonPt = 3, kElectronPt = 5, kPhotonPt = 10, kJetPt = 15;
constexpr double kMaximumPt = 2500;
constexpr std::size_t kMaximumJets = 57;

using Particles = ObjectList<Lepton, 16>;

struct Event {
  Particles muons, electrons, photons;
  ObjectList<Lepton, kMaximumJets> taus;
  ObjectList<Jet, kMaximumJets> jets;
  MissingMomentum missing;
};

double square(double x) { return x * x; }

double wrapped(double angle) {
  if (angle > std::numbers::pi) return angle - 2 * std::numbers::pi;
  return angle < -std::numbers::pi ? angle + 2 * std::numbers::pi : angle;
}

int draw_charge(EventRandom& random) { return random.happens(0.5) ? 1 : -1; }

// Falls like pt^-(1 + index) above `low`.
double draw_falling_pt(double low, double index, EventRandom& random) {
  return std::min(low * maths::pow(random.uniform(), -1 / index), kMaximumPt);
}

// Leptons

void add_muon(const Vector& momentum, int charge, bool is_isolated, EventRandom& random, Event& event) {
  const double pt = transverse_momentum(momentum) * (1 + 0.013 * random.normal());
  const double eta = pseudorapidity(momentum);
  if (pt > kMuonPt && std::abs(eta) < kMuonEta)
    event.muons.add({pt, eta, maths::atan2(momentum.y, momentum.x), charge, is_isolated});
}

void add_electron(const Vector& momentum, int charge, EventRandom& random, Event& event) {
  const double pt = transverse_momentum(momentum) * (1 + 0.025 * random.normal());
  const double eta = pseudorapidity(momentum);
  if (pt > kElectronPt && std::abs(eta) < kElectronEta)
    event.electrons.add({pt, eta, maths::atan2(momentum.y, momentum.x), charge, true});
}

void add_muon_pair(const Parent& parent, EventRandom& random, Event& event) {
  const auto [first, second] = decay_to_pair(parent, kMuonMass, random);
  const int charge = draw_charge(random);
  add_muon(first, charge, true, random, event);
  add_muon(second, -charge, true, random, event);
}

void add_electron_pair(const Parent& parent, EventRandom& random, Event& event) {
  const auto [first, second] = decay_to_pair(parent, kElectronMass, random);
  const int charge = draw_charge(random);
  add_electron(first, charge, random, event);
  add_electron(second, -charge, random, event);
}

// A muon and a neutrino, back to back in the transverse plane with the Jacobian peak at half the W mass.
void add_w(EventRandom& random, Event& event) {
  const double cosine = random.uniform(-1, 1), azimuth = random.azimuth();
  const double pt = 0.5 * kWMass * std::sqrt(1 - cosine * cosine) + 0.5;
  const Vector muon{pt * maths::cos(azimuth), pt * maths::sin(azimuth), pt * 1.5 * random.normal()};
  add_muon(muon, random.happens(0.58) ? 1 : -1, true, random, event);
  const double recoil = draw_parent_pt(10, random), recoil_azimuth = random.azimuth();
  event.missing.x += recoil * maths::cos(recoil_azimuth) - muon.x;
  event.missing.y += recoil * maths::sin(recoil_azimuth) - muon.y;
}

void add_muon_in_jet(double low, double index, EventRandom& random, Event& event) {
  const double pt = draw_falling_pt(low, index, random);
  event.muons.add({pt, random.uniform(-kMuonEta, kMuonEta), random.azimuth(), draw_charge(random), false});
}

void add_soft_electron(EventRandom& random, Event& event) {
  const double pt = draw_falling_pt(kElectronPt, 2.5, random);
  event.electrons.add(
      {pt, random.uniform(-kElectronEta, kElectronEta), random.azimuth(), draw_charge(random), false});
}

void add_process(EventRandom& random, Event& event) {
  const double process = random.uniform();
  if (process < 0.33)
    add_w(random, event);
  else if (process < 0.395)
    add_muon_pair(draw_z(random), random, event);
  else if (process < 0.41)
    add_muon_pair({kJpsiMass, 20 + draw_parent_pt(9, random), 0.8 * random.normal()}, random, event);
  else if (process < 0.95)
    add_muon_in_jet(16, 4, random, event);
  else if (process < 0.96)
    add_electron_pair(draw_z(random), random, event);
  if (process < 0.003 || (process > 0.41 && process < 0.412) || (process > 0.95 && process < 0.953)) {
    // A second boson: two or three leptons of high pt, and a neutrino.
    add_electron_pair(draw_z(random), random, event);
    add_w(random, event);
  }
  for (double probability = 0.1; random.happens(probability); probability *= 0.6)
    add_muon_in_jet(kMuonPt, 2.5, random, event);
  for (double probability = 0.15; random.happens(probability); probability *= 0.6)
    add_soft_electron(random, event);
}

// Jets

// Negative binomial probabilities of 0 to 57.
std::array<double, kMaximumJets + 1> negative_binomial(double mean, double shape) {
  const double fraction = mean / (mean + shape);
  std::array<double, kMaximumJets + 1> probabilities{};
  double probability = maths::pow(1 - fraction, shape);
  for (std::size_t n = 0; n <= kMaximumJets; ++n) {
    probabilities[n] = probability;
    probability *= fraction * (shape + static_cast<double>(n)) / (static_cast<double>(n) + 1);
  }
  return probabilities;
}

// Cumulative; chosen for 3.2 jets and 41 combinations of three on average and three or more jets in 44 % of
// the events, as in the data: one event in a hundred has very many.
std::array<double, kMaximumJets + 1> jet_number_distribution() {
  constexpr double kCrowdedShare = 0.01;
  const auto usual = negative_binomial(3.03, 1.2), crowded = negative_binomial(20, 8);
  std::array<double, kMaximumJets + 1> cumulative{};
  double sum = 0;
  for (std::size_t n = 0; n <= kMaximumJets; ++n)
    cumulative[n] = sum += (1 - kCrowdedShare) * usual[n] + kCrowdedShare * crowded[n];
  return cumulative;
}

std::size_t draw_number_of_jets(EventRandom& random) {
  static const auto cumulative = jet_number_distribution();
  const auto found = std::lower_bound(cumulative.begin(), cumulative.end() - 1, random.uniform());
  return static_cast<std::size_t>(found - cumulative.begin());
}

double draw_jet_mass(double pt, EventRandom& random) {
  if (random.happens(0.01)) return -0.02 * pt * random.uniform();
  return pt * (0.07 + 0.03 * std::abs(random.normal())) + 1.5;
}

void add_jet(double pt, double eta, double phi, EventRandom& random, Event& event) {
  event.jets.add({pt, eta, phi, draw_jet_mass(pt, random)});
}

// Most leptons are found as jets, too.
void add_jets_of(const Particles& leptons, std::size_t number, EventRandom& random, Event& event) {
  for (const Lepton& lepton : leptons) {
    const double pt = lepton.pt * (lepton.is_isolated ? 1.02 : 1.1 + random.uniform());
    if (pt < kJetPt || event.jets.size >= number || !random.happens(0.9)) continue;
    const double eta = lepton.eta + 0.03 * random.normal();
    add_jet(pt, eta, wrapped(lepton.phi + 0.03 * random.normal()), random, event);
  }
}

void add_jets(EventRandom& random, Event& event) {
  const std::size_t number = draw_number_of_jets(random);
  add_jets_of(event.muons, number, random, event);
  add_jets_of(event.electrons, number, random, event);
  while (event.jets.size < number) {
    const double pt = draw_falling_pt(kJetPt, 2.9, random), eta = draw_jet_eta(random);
    add_jet(pt, eta, random.azimuth(), random, event);
  }
}

// What looks like something else

void add_taus(EventRandom& random, Event& event) {
  for (const Jet& jet : event.jets) {
    if (std::abs(jet.eta) < kTauEta && random.happens(0.55))
      event.taus.add({jet.pt * random.uniform(0.6, 1), jet.eta + 0.02 * random.normal(),
                      wrapped(jet.phi + 0.02 * random.normal()), draw_charge(random), random.happens(0.1)});
  }
}

void add_photons(EventRandom& random, Event& event) {
  while (random.happens(0.45))
    event.photons.add({draw_falling_pt(kPhotonPt, 2.5, random), random.uniform(-kElectronEta, kElectronEta),
                       random.azimuth(), 0, random.happens(0.3)});
}

// Into columns

void push(Floats& column, double value) { column.push_back(static_cast<float>(value)); }

template <typename List>
void sort_by_pt(List& list) {
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.pt > b.pt; });
}

std::int32_t nearest_jet(const Lepton& particle, std::span<const Jet> jets) {
  double smallest = square(0.4);
  std::int32_t index = -1;
  for (std::size_t i = 0; i < jets.size(); ++i) {
    const double distance = square(particle.eta - jets[i].eta) + square(wrapped(particle.phi - jets[i].phi));
    if (distance < smallest) smallest = distance, index = static_cast<std::int32_t>(i);
  }
  return index;
}

void push_kinematics(double pt, double eta, double phi, double mass, KinematicColumns& columns) {
  push(columns.pt, pt);
  push(columns.eta, eta);
  push(columns.phi, phi);
  push(columns.mass, mass);
}

void push_particle(const Lepton& particle, double mass, std::span<const Jet> jets, ParticleColumns& columns) {
  push_kinematics(particle.pt, particle.eta, particle.phi, mass, columns);
  columns.charge.push_back(particle.charge);
  columns.jet_index.push_back(nearest_jet(particle, jets));
  columns.generated_index.push_back(-1);
}

void finish_entry(std::size_t number, KinematicColumns& columns) {
  columns.counts.push_back(static_cast<std::uint32_t>(number));
  columns.offsets.push_back(static_cast<std::uint32_t>(columns.pt.size()));
}

double draw_isolation(bool is_isolated, EventRandom& random) {
  const double u = random.uniform();
  if (is_isolated) return 0.12 * u * u;
  return u < 0.05 ? -999 : u / (1.02 - u);
}

void push_impact(bool is_isolated, EventRandom& random, AdlLeptonColumns& columns) {
  const double width = is_isolated ? 1 : 5;
  const double transverse = 0.002 / (0.1 + random.uniform()), longitudinal = 0.004 / (0.1 + random.uniform());
  push(columns.dxy, width * transverse * random.normal());
  push(columns.dxy_error, transverse);
  push(columns.dz, width * longitudinal * random.normal());
  push(columns.dz_error, longitudinal);
}

void push_muons(const Event& event, EventRandom& random, AdlMuonColumns& columns) {
  for (const Lepton& muon : event.muons) {
    push_particle(muon, kMuonMass, event.jets.all(), columns);
    const double isolation = draw_isolation(muon.is_isolated, random);
    push(columns.isolation03, isolation);
    push(columns.isolation04, isolation < 0 ? isolation : isolation * random.uniform(1, 1.4));
    push_impact(muon.is_isolated, random, columns);
    columns.is_tight.push_back(random.happens(muon.is_isolated ? 0.95 : 0.6));
    columns.is_soft.push_back(random.happens(0.9));
  }
  finish_entry(event.muons.size, columns);
}

// The mass of an electron is what rounding leaves of its energy and momentum: it may be negative.
void push_electrons(const Event& event, EventRandom& random, AdlElectronColumns& columns) {
  for (const Lepton& electron : event.electrons) {
    const double rounding = 1e-4 * electron.pt * maths::cosh(electron.eta) * random.normal();
    push_particle(electron, kElectronMass + rounding, event.jets.all(), columns);
    push(columns.isolation03, draw_isolation(electron.is_isolated, random));
    push_impact(electron.is_isolated, random, columns);
    columns.passes_cuts.push_back(random.happens(electron.is_isolated ? 0.9 : 0.3));
    columns.passes_particle_flow.push_back(random.happens(electron.is_isolated ? 0.98 : 0.7));
  }
  finish_entry(event.electrons.size, columns);
}

// Each working point is passed by fewer taus than the one before it.
void push_identifications(double raw_isolation, EventRandom& random, AdlTauColumns& columns) {
  constexpr std::array kIsolations = {4., 2., 1., 0.5};
  constexpr std::array kRejections = {0.5, 0.4, 0.3};
  auto* flags = columns.identifications.data();
  (flags++)->push_back(random.happens(0.9));
  for (const double isolation : kIsolations) (flags++)->push_back(raw_isolation < isolation);
  for (int against = 0; against < 2; ++against) {
    const double score = random.uniform();
    for (const double rejection : kRejections) (flags++)->push_back(score < rejection);
  }
}

void push_taus(const Event& event, EventRandom& random, AdlTauColumns& columns) {
  constexpr std::array kDecayModes = {0, 1, 2, 10};
  for (const Lepton& tau : event.taus) {
    const std::int32_t mode = kDecayModes[random.bits() & 3];
    push_particle(tau, mode == 0 ? kPionMass : random.uniform(0.3, 1.5), event.jets.all(), columns);
    columns.decay_mode.push_back(mode);
    const double raw = (tau.is_isolated ? -1 : -12) * maths::log(random.uniform());
    push(columns.raw_isolation, raw);
    push(columns.isolation, random.happens(0.4) ? std::numeric_limits<double>::quiet_NaN() : raw / tau.pt);
    push_identifications(raw, random, columns);
  }
  finish_entry(event.taus.size, columns);
}

void push_photons(const Event& event, EventRandom& random, AdlPhotonColumns& columns) {
  for (const Lepton& photon : event.photons) {
    push_particle(photon, 0, event.jets.all(), columns);
    push(columns.isolation03, draw_isolation(photon.is_isolated, random));
  }
  finish_entry(event.photons.size, columns);
}

void push_jets(const Event& event, EventRandom& random, AdlJetColumns& columns) {
  for (const Jet& jet : event.jets) {
    push_kinematics(jet.pt, jet.eta, jet.phi, jet.mass, columns);
    columns.passes_pileup.push_back(random.happens(0.85));
    push(columns.btag, draw_btag(random));
  }
  finish_entry(event.jets.size, columns);
}

void push_missing_momentum(const Event& event, EventRandom& random, AdlEventColumns& columns) {
  double sum = 150 - 50 * maths::log(random.uniform());
  for (const Jet& jet : event.jets) sum += jet.pt;
  const double variance = 20 + 0.6 * sum;
  const double x = event.missing.x + std::sqrt(variance) * random.normal();
  const double y = event.missing.y + std::sqrt(variance) * random.normal();
  push(columns.met_pt, std::sqrt(x * x + y * y));
  push(columns.met_phi, maths::atan2(y, x));
  push(columns.met_sumet, sum);
  push(columns.met_significance, (x * x + y * y) / variance);
  push(columns.met_cov_xx, variance * random.uniform(0.9, 1.1));
  push(columns.met_cov_xy, 0.1 * variance * random.normal());
  push(columns.met_cov_yy, variance * random.uniform(0.9, 1.1));
}

void push_triggers(const Event& event, EventRandom& random, AdlEventColumns& columns) {
  const auto fires = [&](double pt, double eta) {
    return std::any_of(event.muons.begin(), event.muons.end(), [&](const Lepton& muon) {
      return muon.is_isolated && muon.pt > pt && std::abs(muon.eta) < eta;
    });
  };
  const bool is_efficient = random.happens(0.92);
  columns.passes_iso_mu24_eta2p1.push_back(is_efficient && fires(24, 2.1));
  columns.passes_iso_mu24.push_back(is_efficient && fires(24, kMuonEta));
  columns.passes_iso_mu17_tau20.push_back(event.taus.size > 0 && fires(17, 2.1) && random.happens(0.1));
}

void push_vertex(EventRandom& random, AdlEventColumns& columns) {
  push(columns.vertex_x, 0.07 + 0.002 * random.normal());
  push(columns.vertex_y, 0.06 + 0.002 * random.normal());
  push(columns.vertex_z, 5 * random.normal());
}

void push_event(const Event& event, EventRandom& random, AdlBlock& block) {
  push_triggers(event, random, block.events);
  push_vertex(random, block.events);
  push_missing_momentum(event, random, block.events);
  push_muons(event, random, block.muons);
  push_electrons(event, random, block.electrons);
  push_taus(event, random, block.taus);
  push_photons(event, random, block.photons);
  push_jets(event, random, block.jets);
}

void generate_event(std::uint64_t seed, std::uint64_t entry, EventBlock& block) {
  EventRandom random(seed, entry);
  Event event;
  add_event_identity(entry, random, block.events);
  add_process(random, event);
  add_jets(random, event);
  add_taus(random, event);
  add_photons(random, event);
  sort_by_pt(event.muons);
  sort_by_pt(event.electrons);
  sort_by_pt(event.taus);
  sort_by_pt(event.photons);
  sort_by_pt(event.jets);
  push_event(event, random, block.adl);
}

}  // namespace

SyntheticLayout adl_layout() {
  return {adl_columns(), [](std::uint64_t seed, EntryRange range, EventBlock& block) {
            for (std::uint64_t entry = range.first; entry < range.end(); ++entry)
              generate_event(seed, entry, block);
          }};
}

}  // namespace skimline::generate
