// SPDX-License-Identifier: BSD-3-Clause
// Events for the analysis grand challenge (AGC): like those of its samples of CMS's NanoAOD of 2015, with
// mantissas rounded as there.
#include "agc_event.h"
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace skimline::generate {
namespace {

constexpr double kMuonMass = 0.1056584, kElectronMass = 0.000511;
constexpr int kGeneratedBits = 8, kErrorBits = 6, kWeightBits = 14;

void push(Floats& column, double value, int bits = kUsualBits) {
  column.push_back(with_mantissa_bits(value, bits));
}
void push_whole(Floats& column, double value) { column.push_back(static_cast<float>(value)); }

template <std::size_t kSize>
void push_attributes(const std::array<Attribute, kSize>& attributes, EventRandom& random,
                     AttributeColumns<kSize>& columns) {
  for (std::size_t i = 0; i < kSize; ++i) {
    const double value = draw(attributes[i], random);
    if (attributes[i].mantissa_bits < 23)
      push(columns[i], value, attributes[i].mantissa_bits);
    else
      push_whole(columns[i], value);
  }
}

void finish_entry(std::size_t number, KinematicColumns& columns) {
  columns.counts.push_back(static_cast<std::uint32_t>(number));
  columns.offsets.push_back(static_cast<std::uint32_t>(columns.pt.size()));
}

// The place of the nearest object within 0.4, else -1.
template <typename Objects>
std::int32_t nearest(double eta, double phi, const Objects& objects) {
  double smallest = 0.16;
  std::int32_t index = -1;
  for (std::size_t i = 0; i < objects.size; ++i) {
    const double across = eta - objects.items[i].eta, around = wrapped_azimuth(phi - objects.items[i].phi);
    const double distance = across * across + around * around;
    if (distance < smallest) smallest = distance, index = static_cast<std::int32_t>(i);
  }
  return index;
}

// ---- leptons

// Relative isolation: often exactly 0.
double draw_isolation(bool is_isolated, EventRandom& random) {
  const double u = random.uniform();
  if (is_isolated) return u < 0.35 ? 0 : -0.08 * maths::log((u - 0.35) / 0.65);
  return 0.05 - 0.9 * maths::log(u);
}

void push_impact(const AgcLepton& lepton, EventRandom& random, AgcLeptonColumns& columns) {
  const double transverse = 0.0015 / (0.1 + random.uniform()),
               longitudinal = 0.003 / (0.1 + random.uniform());
  const bool is_displaced = lepton.origin == LeptonOrigin::kHadron || lepton.origin == LeptonOrigin::kFake;
  const double x = random.normal(), y = random.normal();
  const double significance =
      std::sqrt(x * x + y * y) * (is_displaced ? 1 - 6 * maths::log(random.uniform()) : 0.85);
  const double error = 0.5 * (transverse + longitudinal);
  push(columns.dxy, transverse * (is_displaced ? 0.7 * significance : x));
  push(columns.dxy_error, transverse, kErrorBits);
  push(columns.dz, longitudinal * y);
  push(columns.dz_error, longitudinal, kErrorBits);
  push(columns.ip3d, significance * error);
  push(columns.sip3d, significance);
}

void push_lepton(const AgcLepton& lepton, int pdg_id, double mass, const AgcEvent& event, EventRandom& random,
                 AgcLeptonColumns& columns) {
  push_whole(columns.pt, lepton.pt);
  push(columns.eta, lepton.eta, kDirectionBits);
  push(columns.phi, lepton.phi, kDirectionBits);
  push(columns.mass, mass);
  columns.charge.push_back(lepton.charge);
  columns.pdg_id.push_back(-lepton.charge * pdg_id);
  columns.tight_charge.push_back(random.happens(0.9) ? 2 : 0);
  columns.jet_index.push_back(nearest(lepton.eta, lepton.phi, event.jets));
  columns.generated_index.push_back(lepton.generated);
  columns.generated_flavour.push_back(static_cast<std::uint8_t>(lepton.origin));
  push_impact(lepton, random, columns);
}

// 0 to 4, of which 4 is the tightest working point.
int draw_working_point(bool is_genuine, EventRandom& random) {
  constexpr std::array kGenuine = {0.12, 0.20, 0.30, 0.45}, kOthers = {0.78, 0.88, 0.94, 0.975};
  const auto& below = is_genuine ? kGenuine : kOthers;
  const auto found = std::upper_bound(below.begin(), below.end(), random.uniform());
  return static_cast<int>(found - below.begin());
}

// The mass of an electron is what rounding leaves of its energy and momentum: it may be negative.
void push_electrons(const AgcEvent& event, EventRandom& random, AgcElectronColumns& columns) {
  for (const AgcLepton& electron : event.electrons) {
    const double rounding = 3e-4 * electron.pt * maths::cosh(electron.eta) * random.normal();
    push_lepton(electron, 11, kElectronMass + rounding, event, random, columns);
    const bool is_genuine = electron.is_isolated && electron.origin != LeptonOrigin::kFake;
    push_whole(columns.isolation03, draw_isolation(electron.is_isolated, random));
    columns.cut_based.push_back(draw_working_point(is_genuine, random));
    columns.is_no_conversion.push_back(random.happens(is_genuine ? 0.98 : 0.8));
    push_attributes(kAgcElectronAttributes, random, columns.attributes);
  }
  finish_entry(event.electrons.size, columns);
}

void push_muon_flags(bool is_genuine, EventRandom& random, AgcMuonColumns& columns) {
  const double quality = random.uniform() * (is_genuine ? 1 : 3);
  columns.is_tight.push_back(quality < 0.88);
  columns.is_medium.push_back(quality < 0.95);
  columns.is_soft.push_back(random.happens(is_genuine ? 0.97 : 0.7));
  columns.is_global.push_back(quality < 1.4);
}

void push_muons(const AgcEvent& event, EventRandom& random, AgcMuonColumns& columns) {
  constexpr std::array kIsolationPoints = {0.4, 0.25, 0.2, 0.15, 0.1, 0.05};
  for (const AgcLepton& muon : event.muons) {
    push_lepton(muon, 13, kMuonMass, event, random, columns);
    const double isolation = draw_isolation(muon.is_isolated, random);
    const double wider = isolation * random.uniform(1, 1.4);
    push_whole(columns.isolation03, isolation);
    push_whole(columns.isolation04, wider);
    columns.isolation_points.push_back(static_cast<std::uint8_t>(std::count_if(
        kIsolationPoints.begin(), kIsolationPoints.end(), [&](double x) { return wider < x; })));
    push_muon_flags(muon.origin != LeptonOrigin::kFake, random, columns);
    columns.num_stations.push_back(std::min(1 + static_cast<int>(random.bits() % 6), 4));
    columns.num_layers.push_back(8 + static_cast<int>(random.bits() % 9));
    push_attributes(kAgcMuonAttributes, random, columns.attributes);
  }
  finish_entry(event.muons.size, columns);
}

// ---- jets

// Scores above 0.5 are those of 80 % of b, 30 % of c and 6 % of other jets within the tracker.
double draw_score(const AgcJet& jet, EventRandom& random) {
  constexpr double kTrackerEta = 2.5, kSoftPt = 22;
  if (std::abs(jet.eta) > kTrackerEta) return -10;
  const double above = jet.hadron_flavour == 5 ? 0.8 : jet.hadron_flavour == 4 ? 0.3 : 0.06;
  const double kind = random.uniform(), u = random.uniform();
  if (kind < above) return 1 - 0.5 * (jet.hadron_flavour == 5 ? u * u : u);
  const double rest = (kind - above) / (1 - above);
  if (rest < (jet.pt < kSoftPt ? 0.4 : 0.04)) return -10;
  if (rest > 0.99) return -1;
  return 0.5 * (jet.hadron_flavour == 5 ? u : u * u);
}

int draw_jet_id(const AgcJet& jet, EventRandom& random) {
  const double u = random.uniform();
  if (jet.origin == JetOrigin::kElectron || jet.origin == JetOrigin::kMuon) return u < 0.9 ? 2 : 6;
  return u < 0.965 ? 6 : u < 0.985 ? 2 : 0;
}

void push_jet(const AgcJet& jet, const AgcEvent& event, EventRandom& random, AgcJetColumns& columns) {
  push(columns.pt, jet.pt);
  push(columns.eta, jet.eta, kDirectionBits);
  push(columns.phi, jet.phi, kDirectionBits);
  push(columns.mass, jet.mass);
  push(columns.btag, draw_score(jet, random));
  columns.id.push_back(draw_jet_id(jet, random));
  columns.pileup_id.push_back(random.happens(jet.origin == JetOrigin::kPileup ? 0.3 : 0.95) ? 7 : 0);
  columns.electron_index.push_back(nearest(jet.eta, jet.phi, event.electrons));
  columns.muon_index.push_back(nearest(jet.eta, jet.phi, event.muons));
  columns.num_constituents.push_back(
      static_cast<std::uint8_t>(std::clamp(10 + 0.08 * jet.pt + 4 * random.normal(), 1., 100.)));
  columns.generated_index.push_back(jet.generated);
  columns.hadron_flavour.push_back(jet.hadron_flavour);
  columns.parton_flavour.push_back(jet.parton_flavour);
  push_attributes(kAgcJetAttributes, random, columns.attributes);
}

void push_jets(const AgcEvent& event, EventRandom& random, AgcJetColumns& columns) {
  for (const AgcJet& jet : event.jets) push_jet(jet, event, random, columns);
  finish_entry(event.jets.size, columns);
}

// ---- what was generated

void push_generated(const AgcEvent& event, AgcBlock& block) {
  AgcGeneratedParticleColumns& particles = block.generated_particles;
  for (const AgcGeneratedParticle& particle : event.generated) {
    push(particles.pt, particle.pt, kGeneratedBits);
    push(particles.eta, particle.eta, kGeneratedBits);
    push(particles.phi, particle.phi, kGeneratedBits);
    push(particles.mass, particle.mass, kGeneratedBits);
    particles.mother.push_back(particle.mother);
    particles.pdg_id.push_back(particle.pdg_id);
    particles.status.push_back(particle.status);
    particles.status_flags.push_back(particle.status_flags);
  }
  finish_entry(event.generated.size, particles);

  AgcGeneratedJetColumns& jets = block.generated_jets;
  for (const AgcGeneratedJet& jet : event.generated_jets) {
    push_whole(jets.pt, jet.pt);
    push(jets.eta, jet.eta, kDirectionBits);
    push(jets.phi, jet.phi, kDirectionBits);
    push(jets.mass, jet.mass);
    jets.parton_flavour.push_back(jet.parton_flavour);
    jets.hadron_flavour.push_back(static_cast<std::uint8_t>(jet.hadron_flavour));
  }
  finish_entry(event.generated_jets.size, jets);
}

void finish_weights(std::size_t number, AgcWeightColumns& weights) {
  weights.counts.push_back(static_cast<std::uint32_t>(number));
  weights.offsets.push_back(static_cast<std::uint32_t>(weights.values.size()));
}

void push_weights(EventRandom& random, AgcBlock& block) {
  constexpr std::size_t kPdfWeights = 102;
  const double spread = 0.03 * (1 + 2 * random.uniform());
  for (std::size_t i = 0; i < kPdfWeights; ++i)
    push(block.pdf_weights.values, 1 + spread * random.uniform(-1, 1), kWeightBits);
  finish_weights(kPdfWeights, block.pdf_weights);

  // Both scales halved, kept and doubled.
  const double renormalisation = random.uniform(0.1, 0.25), factorisation = random.uniform(-0.05, 0.05);
  for (const int up : {-1, 0, 1})
    for (const int across : {-1, 0, 1})
      push(block.scale_weights.values, (1 - up * renormalisation) * (1 - across * factorisation),
           kWeightBits);
  finish_weights(9, block.scale_weights);

  for (const double shift : {0.1, -0.1, 0.15, -0.15})
    push(block.shower_weights.values, 1 + shift * random.uniform(), kUsualBits);
  finish_weights(4, block.shower_weights);
}

// ---- events

void push_identity(std::uint64_t entry, EventRandom& random, AgcEventColumns& columns) {
  constexpr std::uint64_t kEventsPerBlock = 1000, kEventNumberStep = 7;
  columns.run.push_back(1);
  columns.luminosity_block.push_back(static_cast<std::uint32_t>(1 + entry / kEventsPerBlock));
  columns.event.push_back(1 + entry * kEventNumberStep + random.bits() % kEventNumberStep);
}

void push_pileup(EventRandom& random, AgcEventColumns& columns) {
  const double mean = std::round(std::clamp(12 + 3.5 * random.normal(), 1., 40.));
  const double number = std::round(std::clamp(mean + std::sqrt(mean) * random.normal(), 0., 60.));
  const double vertices = std::round(std::clamp(1 + 0.75 * number + random.normal(), 1., 50.));
  push_whole(columns.num_true_interactions, mean);
  columns.num_pileup.push_back(static_cast<std::int32_t>(number));
  columns.num_vertices.push_back(static_cast<std::int32_t>(vertices));
  columns.num_good_vertices.push_back(
      static_cast<std::int32_t>(std::max(vertices - (random.happens(0.5) ? 1 : 0), 1.)));
  push_whole(columns.energy_density, std::max(0.65 * number + 1.5 * random.normal(), 0.1));
}

void push_generator(const AgcEvent& event, bool has_negative_weights, EventRandom& random,
                    AgcEventColumns& columns) {
  constexpr std::array kPartons = {21, 21, 21, 2, 1, -1, -2, 3};
  const double weight = has_negative_weights && random.happens(0.16) ? -225892.5 : 225892.5;
  push_whole(columns.weight, weight);
  columns.parton1.push_back(kPartons[random.bits() % kPartons.size()]);
  columns.parton2.push_back(kPartons[random.bits() % kPartons.size()]);
  double sum = 0;
  for (const AgcParton& parton : event.partons) sum += transverse_momentum(parton.momentum);
  push_whole(columns.lhe_ht, sum);
  columns.num_lhe_jets.push_back(static_cast<std::uint8_t>(event.num_lhe_jets));
}

void push_missing_momentum(const AgcEvent& event, EventRandom& random, AgcEventColumns& columns) {
  constexpr double kDeviation = 14;
  double sum = 350 - 120 * maths::log(random.uniform());
  for (const AgcJet& jet : event.jets) sum += jet.pt;
  const double x = event.missing.x + kDeviation * random.normal(),
               y = event.missing.y + kDeviation * random.normal();
  push_whole(columns.met_pt, std::sqrt(x * x + y * y));
  push(columns.met_phi, maths::atan2(y, x), kDirectionBits);
  push(columns.met_sumet, sum);
  push(columns.met_significance, (x * x + y * y) / (2 * kDeviation * kDeviation));
}

template <typename Leptons>
bool has_lepton(const Leptons& leptons, double pt, double eta, bool needs_isolation = true) {
  return std::any_of(leptons.begin(), leptons.end(), [&](const AgcLepton& lepton) {
    return lepton.pt > pt && std::abs(lepton.eta) < eta && (lepton.is_isolated || !needs_isolation);
  });
}

// In the order of kAgcTriggers.
void push_triggers(const AgcEvent& event, EventRandom& random, AgcEventColumns& columns) {
  const std::array fires = {has_lepton(event.electrons, 22, 2.1), has_lepton(event.electrons, 23, 2.5),
                            has_lepton(event.muons, 20, 2.4), has_lepton(event.muons, 50, 2.4, false)};
  static_assert(fires.size() == kAgcTriggers.size());
  for (std::size_t i = 0; i < fires.size(); ++i)
    columns.triggers[i].push_back(fires[i] && random.happens(kAgcTriggers[i].probability));
}

void push_event(const AgcEvent& event, const AgcPhysics& physics, EventRandom& random, AgcBlock& block) {
  push_generator(event, physics.process == AgcProcess::kWJets, random, block.events);
  push_pileup(random, block.events);
  push_missing_momentum(event, random, block.events);
  push_attributes(kAgcEventAttributes, random, block.events.attributes);
  push_triggers(event, random, block.events);
  push_electrons(event, random, block.electrons);
  push_muons(event, random, block.muons);
  push_jets(event, random, block.jets);
  push_generated(event, block);
  push_weights(random, block);
}

void generate_event(const AgcPhysics& physics, std::uint64_t seed, std::uint64_t entry, AgcEvent& event,
                    AgcBlock& block) {
  EventRandom random(seed, entry);
  push_identity(entry, random, block.events);
  event.clear();
  draw_agc_process(physics, random, event);
  reconstruct_agc_event(random, event);
  push_event(event, physics, random, block);
}

}  // namespace

SyntheticLayout agc_layout(std::size_t sample) {
  return {agc_columns(), [sample](std::uint64_t seed, EntryRange range, EventBlock& block) {
            const AgcPhysics& physics = agc_samples()[sample].physics;
            const std::uint64_t seed_of_sample = EventRandom(seed, sample).bits();
            AgcEvent event;
            for (std::uint64_t entry = range.first; entry < range.end(); ++entry)
              generate_event(physics, seed_of_sample, entry, event, block.agc);
          }};
}

}  // namespace skimline::generate
