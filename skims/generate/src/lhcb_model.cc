// SPDX-License-Identifier: BSD-3-Clause
// Candidates of charged B mesons that decay to three kaons, in a forward detector; MeV, mm. Masses and the
// lifetime: PDG 2022.
#include "particle_decay.h"
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

namespace skimline::generate {
namespace {

constexpr double kBMass = 5279.34, kKaonMass = 493.677, kPhiMass = 1019.461;
constexpr double kBLifetime = 0.4911;  // times c
constexpr double kSignalShare = 0.05;
constexpr double kMomentumResolution = 0.004;

enum class Species { kKaon, kPion, kMuon };

struct Hadron {
  Vector momentum;
  Species species = Species::kKaon;
};

struct Candidate {
  MovingParent parent;
  bool is_signal = false;
  double flight = 0;
  std::array<Hadron, 3> hadrons;
};

double magnitude(const Vector& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// Into 2 < eta < 5, where the detector is, harder than what is produced, as triggers ask for.
MovingParent draw_parent(bool is_signal, EventRandom& random) {
  const double mass = is_signal ? kBMass : 5050 - 600 * maths::log(1 - 0.875 * random.uniform());
  const double pt = 1500 + draw_parent_pt(7000, random), azimuth = random.azimuth();
  const double pz = pt * maths::sinh(random.uniform(2.0, 4.6));
  return {{pt * maths::cos(azimuth), pt * maths::sin(azimuth), pz}, mass};
}

// Momentum of the products in the rest frame of a parent.
double decay_momentum(double mass, double first, double second) {
  const double sum = first + second, difference = first - second;
  return std::sqrt(std::max((mass * mass - sum * sum) * (mass * mass - difference * difference), 0.)) /
         (2 * mass);
}

// The mass of the second and third hadron: some phi mesons, else by phase space.
double draw_pair_mass(const Candidate& candidate, EventRandom& random) {
  if (random.happens(candidate.is_signal ? 0.15 : 0.02)) return kPhiMass + 2.1 * random.normal();
  const double low = 2 * kKaonMass, high = candidate.parent.mass - kKaonMass;
  const double bound =
      decay_momentum(candidate.parent.mass, low, kKaonMass) * decay_momentum(high, kKaonMass, kKaonMass);
  double mass = 0;
  do {
    mass = random.uniform(low, high);
  } while (random.uniform() * bound > decay_momentum(candidate.parent.mass, mass, kKaonMass) *
                                          decay_momentum(mass, kKaonMass, kKaonMass));
  return mass;
}

Species draw_species(bool is_signal, EventRandom& random) {
  const double kind = random.uniform();
  if (is_signal || kind < 0.35) return Species::kKaon;
  return kind < 0.92 ? Species::kPion : Species::kMuon;
}

void decay(Candidate& candidate, EventRandom& random) {
  const double pair_mass = draw_pair_mass(candidate, random);
  const auto [single, pair] = decay_in_flight(candidate.parent, kKaonMass, pair_mass, random);
  const auto [second, third] = decay_in_flight({pair, pair_mass}, kKaonMass, kKaonMass, random);
  candidate.hadrons = {Hadron{single}, Hadron{second}, Hadron{third}};
  for (Hadron& hadron : candidate.hadrons) hadron.species = draw_species(candidate.is_signal, random);
}

// What is no B seems to live a shorter time.
double draw_flight(const Candidate& candidate, EventRandom& random) {
  const double lifetime = candidate.is_signal ? kBLifetime : 0.6 * kBLifetime;
  const double boost = magnitude(candidate.parent.momentum) / candidate.parent.mass;
  const double decay = -boost * lifetime * maths::log(random.uniform());
  return 0.8 + decay + 0.2 * std::abs(random.normal());
}

// Tracks that point forward pass the magnet.
bool is_seen(const Candidate& candidate) {
  return std::all_of(candidate.hadrons.begin(), candidate.hadrons.end(),
                     [](const Hadron& hadron) { return hadron.momentum.z > 1000; });
}

Candidate draw_candidate(EventRandom& random) {
  Candidate candidate;
  candidate.is_signal = random.happens(kSignalShare);
  candidate.parent = draw_parent(candidate.is_signal, random);
  candidate.flight = draw_flight(candidate, random);
  do decay(candidate, random);
  while (!is_seen(candidate));
  return candidate;
}

// Three degrees of freedom; tracks that do not belong together fit worse. Candidates end at 12.
double draw_vertex_chi2(bool is_signal, EventRandom& random) {
  double chi2 = 0;
  do {
    chi2 = 0;
    for (int i = 0; i < 3; ++i) {
      const double pull = random.normal();
      chi2 += pull * pull;
    }
    if (!is_signal) chi2 *= 1.6;
  } while (chi2 > 12);
  return chi2;
}

// Of the track to where the B came from, in units of a resolution that is worse at low pt.
double draw_impact_chi2(const Candidate& candidate, const Vector& track, EventRandom& random) {
  const Vector& b = candidate.parent.momentum;
  const Vector cross{b.y * track.z - b.z * track.y, b.z * track.x - b.x * track.z,
                     b.x * track.y - b.y * track.x};
  const double distance = candidate.flight * magnitude(cross) / (magnitude(b) * magnitude(track));
  const double resolution = 0.0116 + 23.4 / std::max(transverse_momentum(track), 50.);
  const double pull = distance / resolution + random.normal(), other = random.normal();
  return pull * pull + other * other;
}

// Outputs of networks, in single precision: near to 1 for what they look for, near to 0 else.
double draw_probability(bool is_it, EventRandom& random) {
  const double u = random.uniform(), miss = random.happens(0.9) ? u * u * u : u;
  return static_cast<float>(is_it ? 1 - miss : miss);
}

// Kaons and pions that decay in flight, mostly slow ones, leave hits like muons.
bool draw_is_muon(const Hadron& hadron, EventRandom& random) {
  const double mistaken = 0.02 + 0.05 * maths::exp(-magnitude(hadron.momentum) / 15000);
  return random.happens(hadron.species == Species::kMuon ? 0.93 : mistaken);
}

void add_hadron(const Candidate& candidate, const Hadron& hadron, EventRandom& random,
                LhcbHadronColumns& columns) {
  const double scale = 1 + kMomentumResolution * random.normal();
  columns.px.push_back(scale * hadron.momentum.x);
  columns.py.push_back(scale * hadron.momentum.y);
  columns.pz.push_back(scale * hadron.momentum.z);
  columns.prob_kaon.push_back(draw_probability(hadron.species == Species::kKaon, random));
  columns.prob_pion.push_back(draw_probability(hadron.species == Species::kPion, random));
  columns.impact_chi2.push_back(draw_impact_chi2(candidate, hadron.momentum, random));
  columns.is_muon.push_back(draw_is_muon(hadron, random));
}

void generate_event(std::uint64_t seed, std::uint64_t entry, LhcbBlock& block) {
  EventRandom random(seed, entry);
  const Candidate candidate = draw_candidate(random);
  block.flight_distance.push_back(candidate.flight);
  block.vertex_chi2.push_back(draw_vertex_chi2(candidate.is_signal, random));
  const int charge = random.happens(0.5) ? 1 : -1;
  for (std::size_t i = 0; i < 3; ++i) {
    add_hadron(candidate, candidate.hadrons[i], random, block.hadrons[i]);
    // The first is the one of the other charge.
    block.hadrons[i].charge.push_back(i == 0 ? -charge : charge);
  }
}

template <typename T>
SyntheticColumn hadron_column(std::size_t index, const char* suffix,
                              std::vector<T> LhcbHadronColumns::*member, std::string meaning) {
  const ScalarType scalar = std::is_same_v<T, double> ? ScalarType::kDouble : ScalarType::kInt32;
  return {{"H" + std::to_string(index + 1) + "_" + suffix, flat(scalar), std::move(meaning)},
          [=](const EventBlock& block) { return flat_view(scalar, block.lhcb.hadrons[index].*member); }};
}

SyntheticColumn candidate_column(std::string name, std::vector<double> LhcbBlock::*member,
                                 std::string meaning) {
  return {{std::move(name), flat(ScalarType::kDouble), std::move(meaning)},
          [=](const EventBlock& block) { return flat_view(ScalarType::kDouble, block.lhcb.*member); }};
}

std::vector<SyntheticColumn> lhcb_columns() {
  using Columns = LhcbHadronColumns;
  std::vector<SyntheticColumn> columns{
      candidate_column("B_FlightDistance", &LhcbBlock::flight_distance, "flight distance of the B [mm]"),
      candidate_column("B_VertexChi2", &LhcbBlock::vertex_chi2, "chi-squared of the vertex of the B")};
  for (std::size_t i = 0; i < 3; ++i) {
    columns.push_back(hadron_column(i, "PX", &Columns::px, "momentum along x [MeV]"));
    columns.push_back(hadron_column(i, "PY", &Columns::py, "momentum along y [MeV]"));
    columns.push_back(hadron_column(i, "PZ", &Columns::pz, "momentum along the beam [MeV]"));
    columns.push_back(hadron_column(i, "ProbK", &Columns::prob_kaon, "probability to be a kaon"));
    columns.push_back(hadron_column(i, "ProbPi", &Columns::prob_pion, "probability to be a pion"));
    columns.push_back(hadron_column(i, "Charge", &Columns::charge, "charge [e]"));
    columns.push_back(hadron_column(i, "IPChi2", &Columns::impact_chi2,
                                    "chi-squared of the impact parameter to the primary vertex"));
    columns.push_back(hadron_column(i, "isMuon", &Columns::is_muon, "1 if it has hits like a muon"));
  }
  return columns;
}

}  // namespace

SyntheticLayout lhcb_layout() {
  return {lhcb_columns(), [](std::uint64_t seed, EntryRange range, EventBlock& block) {
            for (std::uint64_t entry = range.first; entry < range.end(); ++entry)
              generate_event(seed, entry, block.lhcb);
          }};
}

}  // namespace skimline::generate
