// SPDX-License-Identifier: BSD-3-Clause
// Events with muons from Z, J/psi, a continuum and W-like decays. Masses: PDG 2022.
#include "particle_decay.h"
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>

namespace skimline::generate {
namespace {

constexpr double kMuonMass = 0.1056584;
constexpr double kJpsiMass = 3.0969;
constexpr double kWMass = 80.38;
constexpr double kMaximumEta = 2.4;
constexpr double kMinimumPt = 3;
constexpr double kMomentumResolution = 0.013;

struct Event {
  Leptons muons;
  Jets jets;
  MissingMomentum missing;
};

void add_muon_in_acceptance(const Vector& momentum, int charge, bool is_isolated, EventRandom& random,
                            Leptons& muons) {
  const double pt = transverse_momentum(momentum) * (1 + kMomentumResolution * random.normal());
  if (pt < kMinimumPt) return;
  const double eta = pseudorapidity(momentum);
  if (std::abs(eta) < kMaximumEta)
    muons.add({pt, eta, maths::atan2(momentum.y, momentum.x), charge, is_isolated});
}

void decay_to_muons(const Parent& parent, int charge_product, bool is_isolated, EventRandom& random,
                    Leptons& muons) {
  const auto [first, second] = decay_to_pair(parent, kMuonMass, random);
  const int charge = random.happens(0.5) ? 1 : -1;
  add_muon_in_acceptance(first, charge, is_isolated, random, muons);
  add_muon_in_acceptance(second, charge * charge_product, is_isolated, random, muons);
}

void add_z(EventRandom& random, Event& event) {
  decay_to_muons(draw_z(random), -1, true, random, event.muons);
}

void add_jpsi(EventRandom& random, Event& event) {
  const double pt = 6.5 + draw_parent_pt(9, random);
  const bool is_isolated = random.happens(0.6);
  decay_to_muons({kJpsiMass, pt, 0.8 * random.normal()}, -1, is_isolated, random, event.muons);
}

// Mass falls like m^-1.5 between 0.25 and 300 GeV; a quarter of the pairs has equal charges.
void add_continuum(EventRandom& random, Event& event) {
  constexpr double kLow = 2.0, kHigh = 0.057735;  // m^-0.5 at both ends
  const double root = kLow + (kHigh - kLow) * random.uniform();
  const double pt = 6.5 + draw_parent_pt(10, random);
  const bool is_isolated = random.happens(0.7);
  const int charge_product = random.happens(0.25) ? 1 : -1;
  decay_to_muons({1 / (root * root), pt, 0.8 * random.normal()}, charge_product, is_isolated, random,
                 event.muons);
}

// A muon and a neutrino, back to back in the transverse plane with the Jacobian peak at half the W mass.
void add_w(EventRandom& random, Event& event) {
  const double cosine = random.uniform(-1, 1), azimuth = random.azimuth();
  const double pt = 0.5 * kWMass * std::sqrt(1 - cosine * cosine) + 0.5;
  const double recoil = draw_parent_pt(10, random), recoil_azimuth = random.azimuth();
  const Vector muon{pt * maths::cos(azimuth), pt * maths::sin(azimuth), pt * 1.5 * random.normal()};
  add_muon_in_acceptance(muon, random.happens(0.58) ? 1 : -1, true, random, event.muons);
  event.missing.x += recoil * maths::cos(recoil_azimuth) - muon.x;
  event.missing.y += recoil * maths::sin(recoil_azimuth) - muon.y;
}

void add_soft_muon(EventRandom& random, Event& event) {
  const double pt = kMinimumPt / std::sqrt(std::sqrt(random.uniform()));
  event.muons.add({std::min(pt, 200.0), random.uniform(-kMaximumEta, kMaximumEta), random.azimuth(),
                   random.happens(0.5) ? 1 : -1, false});
}

void add_process(EventRandom& random, Event& event) {
  const double process = random.uniform();
  if (process < 0.22)
    add_z(random, event);
  else if (process < 0.40)
    add_jpsi(random, event);
  else if (process < 0.86)
    add_continuum(random, event);
  else if (process < 0.94)
    add_w(random, event);
  for (double probability = 0.22; random.happens(probability); probability *= 0.5)
    add_soft_muon(random, event);
}

void add_muons(Leptons& muons, EventRandom& random, MuonColumns& columns) {
  std::sort(muons.begin(), muons.end(), [](const Lepton& a, const Lepton& b) { return a.pt > b.pt; });
  for (const Lepton& muon : muons) {
    const double u = random.uniform();
    columns.pt.push_back(static_cast<float>(muon.pt));
    columns.eta.push_back(with_mantissa_bits(muon.eta, kDirectionBits));
    columns.phi.push_back(with_mantissa_bits(muon.phi, kDirectionBits));
    columns.mass.push_back(with_mantissa_bits(kMuonMass, kUsualBits));
    columns.charge.push_back(muon.charge);
    columns.isolation.push_back(
        with_mantissa_bits(muon.is_isolated ? 0.12 * u * u : u / (1.02 - u), kUsualBits));
    columns.dxy.push_back(with_mantissa_bits(0.002 * random.normal() / (0.02 + u), kUsualBits));
    columns.dz.push_back(with_mantissa_bits(0.005 * random.normal() / (0.02 + u), kUsualBits));
    columns.is_tight.push_back(random.happens(muon.is_isolated ? 0.95 : 0.7));
  }
  columns.counts.push_back(static_cast<std::uint32_t>(muons.size));
  columns.offsets.push_back(static_cast<std::uint32_t>(columns.pt.size()));
}

bool passes_iso_mu24(const MuonColumns& columns, EventRandom& random) {
  const std::size_t first = *(columns.offsets.end() - 2);
  return first < columns.pt.size() && columns.pt[first] > 24 && columns.isolation[first] < 0.15f &&
         random.happens(0.92);
}

// Sign and a few magnitudes, as generators at next-to-leading order give them.
double draw_weight(EventRandom& random) {
  const std::uint64_t bits = random.bits();
  const double magnitude = 0.25 + 0.1875 * static_cast<double>(bits & 7);
  return bits >> 8 & 7 ? magnitude : -magnitude;
}

void generate_event(std::uint64_t seed, std::uint64_t entry, EventBlock& block) {
  EventRandom random(seed, entry);
  Event event;
  add_event_identity(entry, random, block.events);
  add_process(random, event);
  draw_jets(random, event.jets);

  double sum = 120 + 20 * random.normal();
  for (const Lepton& muon : event.muons) sum += muon.pt;
  for (const Jet& jet : event.jets) sum += jet.pt;
  event.missing.x += 11 * random.normal();
  event.missing.y += 11 * random.normal();
  event.missing.sum = sum;

  add_muons(event.muons, random, block.muons);
  add_jets(event.jets, random, block.jets);
  add_missing_momentum(event.missing, block.events);
  block.events.passes_iso_mu24.push_back(passes_iso_mu24(block.muons, random));
  block.events.gen_weight.push_back(with_mantissa_bits(draw_weight(random), kUsualBits));
}

std::vector<SyntheticColumn> muon_columns() {
  using Block = EventBlock;
  using Muon = MuonColumns;
  return {
      flat_column<&Block::muons, &Muon::counts>("nMuon", ScalarType::kUInt32, "number of muons"),
      list_column<&Block::muons, &Muon::pt>("Muon_pt", ScalarType::kFloat, "transverse momentum [GeV]"),
      list_column<&Block::muons, &Muon::eta>("Muon_eta", ScalarType::kFloat, "pseudorapidity"),
      list_column<&Block::muons, &Muon::phi>("Muon_phi", ScalarType::kFloat, "azimuth [rad]"),
      list_column<&Block::muons, &Muon::mass>("Muon_mass", ScalarType::kFloat, "mass [GeV]"),
      list_column<&Block::muons, &Muon::charge>("Muon_charge", ScalarType::kInt32, "charge [e]"),
      list_column<&Block::muons, &Muon::isolation>("Muon_pfRelIso04_all", ScalarType::kFloat,
                                                   "relative isolation in a cone of 0.4"),
      list_column<&Block::muons, &Muon::dxy>("Muon_dxy", ScalarType::kFloat, "transverse distance [cm]"),
      list_column<&Block::muons, &Muon::dz>("Muon_dz", ScalarType::kFloat, "longitudinal distance [cm]"),
      list_column<&Block::muons, &Muon::is_tight>("Muon_tightId", ScalarType::kBool,
                                                  "passes the tight selection"),
  };
}

std::vector<SyntheticColumn> dimuon_columns() {
  using Block = EventBlock;
  using Events = EventColumns;
  std::vector<SyntheticColumn> columns = event_columns();
  for (auto part : {muon_columns(), jet_columns(), missing_momentum_columns()})
    columns.insert(columns.end(), part.begin(), part.end());
  columns.push_back(flat_column<&Block::events, &Events::num_vertices>("PV_npvs", ScalarType::kInt32,
                                                                       "number of primary vertices"));
  columns.push_back(flat_column<&Block::events, &Events::passes_iso_mu24>(
      "HLT_IsoMu24", ScalarType::kBool, "trigger on one isolated muon above 24 GeV"));
  columns.push_back(
      flat_column<&Block::events, &Events::gen_weight>("genWeight", ScalarType::kFloat, "generator weight"));
  return columns;
}

}  // namespace

SyntheticLayout dimuon_layout() {
  return {dimuon_columns(), [](std::uint64_t seed, EntryRange range, EventBlock& block) {
            for (std::uint64_t entry = range.first; entry < range.end(); ++entry)
              generate_event(seed, entry, block);
          }};
}

}  // namespace skimline::generate
