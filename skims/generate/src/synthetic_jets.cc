// SPDX-License-Identifier: BSD-3-Clause
// What the models share: event numbers, missing momentum, jets.
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace skimline::generate {
namespace {

constexpr double kMinimumJetPt = 15;
constexpr double kMaximumJetPt = 2000;
constexpr double kMaximumJetEta = 4.7;

// Cumulative negative binomial distribution with mean 3.2 and shape 1.6, cut off at the largest number.
std::array<double, kMaximumDrawnJets + 1> jet_number_distribution() {
  constexpr double kMean = 3.2, kShape = 1.6;
  constexpr double kFraction = kMean / (kMean + kShape);
  std::array<double, kMaximumDrawnJets + 1> cumulative{};
  double probability = maths::pow(1 - kFraction, kShape), sum = 0;
  for (std::size_t n = 0; n <= kMaximumDrawnJets; ++n) {
    cumulative[n] = sum += probability;
    probability *= kFraction * (kShape + static_cast<double>(n)) / (static_cast<double>(n) + 1);
  }
  return cumulative;
}

std::size_t draw_number_of_jets(EventRandom& random) {
  static const auto cumulative = jet_number_distribution();
  const double u = random.uniform();
  std::size_t n = 0;
  while (n < kMaximumDrawnJets && u > cumulative[n]) ++n;
  return n;
}

}  // namespace

double draw_jet_eta(EventRandom& random) {
  const double eta = 2 * random.normal();
  return std::abs(eta) < kMaximumJetEta ? eta : random.uniform(-kMaximumJetEta, kMaximumJetEta);
}

double draw_btag(EventRandom& random) {
  const double kind = random.uniform(), u = random.uniform();
  if (kind < 0.01) return -10;
  if (kind < 0.03) return -1;
  return kind < 0.13 ? 1 - u * u : u * u * u * u;
}

void add_event_identity(std::uint64_t entry, EventRandom& random, EventColumns& columns) {
  constexpr std::uint64_t kEventsPerBlock = 500, kBlocksPerRun = 400, kFirstRun = 190456,
                          kEventNumberStep = 613;
  const std::uint64_t block = entry / kEventsPerBlock;
  columns.run.push_back(static_cast<std::int32_t>(kFirstRun + block / kBlocksPerRun % 100000));
  columns.luminosity_block.push_back(static_cast<std::uint32_t>(1 + block % kBlocksPerRun));
  columns.event.push_back(1 + entry * kEventNumberStep + random.bits() % kEventNumberStep);
  columns.num_vertices.push_back(static_cast<std::int32_t>(std::clamp(16 + 6 * random.normal(), 1.0, 60.0)));
}

void add_missing_momentum(const MissingMomentum& missing, EventColumns& columns) {
  const double pt = std::sqrt(missing.x * missing.x + missing.y * missing.y);
  columns.met_pt.push_back(with_mantissa_bits(pt, kUsualBits));
  columns.met_phi.push_back(with_mantissa_bits(maths::atan2(missing.y, missing.x), kDirectionBits));
  columns.met_sumet.push_back(with_mantissa_bits(missing.sum, kUsualBits));
}

void draw_jets(EventRandom& random, Jets& jets) {
  for (std::size_t n = draw_number_of_jets(random); n > 0; --n) {
    const double pt = std::min(kMinimumJetPt / std::sqrt(std::sqrt(random.uniform())), kMaximumJetPt);
    const double mass = pt * (0.07 + 0.03 * std::abs(random.normal())) + 1.5;
    jets.add({pt, draw_jet_eta(random), random.azimuth(), mass});
  }
}

void add_jets(Jets& jets, EventRandom& random, JetColumns& columns) {
  std::sort(jets.begin(), jets.end(), [](const Jet& a, const Jet& b) { return a.pt > b.pt; });
  for (const Jet& jet : jets) {
    columns.pt.push_back(with_mantissa_bits(jet.pt, kUsualBits));
    columns.eta.push_back(with_mantissa_bits(jet.eta, kDirectionBits));
    columns.phi.push_back(with_mantissa_bits(jet.phi, kDirectionBits));
    columns.mass.push_back(with_mantissa_bits(jet.mass, kUsualBits));
    columns.btag.push_back(with_mantissa_bits(draw_btag(random), kUsualBits));
  }
  columns.counts.push_back(static_cast<std::uint32_t>(jets.size));
  columns.offsets.push_back(static_cast<std::uint32_t>(columns.pt.size()));
}

std::vector<SyntheticColumn> event_columns() {
  using Block = EventBlock;
  using Event = EventColumns;
  return {
      flat_column<&Block::events, &Event::run>("run", ScalarType::kInt32, "run number"),
      flat_column<&Block::events, &Event::luminosity_block>("luminosityBlock", ScalarType::kUInt32,
                                                            "luminosity block number"),
      flat_column<&Block::events, &Event::event>("event", ScalarType::kUInt64, "event number"),
  };
}

std::vector<SyntheticColumn> jet_columns() {
  using Block = EventBlock;
  return {
      flat_column<&Block::jets, &JetColumns::counts>("nJet", ScalarType::kUInt32, "number of jets"),
      list_column<&Block::jets, &JetColumns::pt>("Jet_pt", ScalarType::kFloat, "transverse momentum [GeV]"),
      list_column<&Block::jets, &JetColumns::eta>("Jet_eta", ScalarType::kFloat, "pseudorapidity"),
      list_column<&Block::jets, &JetColumns::phi>("Jet_phi", ScalarType::kFloat, "azimuth [rad]"),
      list_column<&Block::jets, &JetColumns::mass>("Jet_mass", ScalarType::kFloat, "mass [GeV]"),
      list_column<&Block::jets, &JetColumns::btag>("Jet_btag", ScalarType::kFloat,
                                                   "b-tag score; -10 and -1 mean none"),
  };
}

std::vector<SyntheticColumn> missing_momentum_columns() {
  using Block = EventBlock;
  using Event = EventColumns;
  return {
      flat_column<&Block::events, &Event::met_pt>("MET_pt", ScalarType::kFloat,
                                                  "missing transverse momentum [GeV]"),
      flat_column<&Block::events, &Event::met_phi>("MET_phi", ScalarType::kFloat, "its azimuth [rad]"),
      flat_column<&Block::events, &Event::met_sumet>("MET_sumet", ScalarType::kFloat,
                                                     "scalar sum of transverse energies [GeV]"),
  };
}

}  // namespace skimline::generate
