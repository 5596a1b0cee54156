// SPDX-License-Identifier: BSD-3-Clause
// Events with two leading jets whose mass falls steeply; weights make up for the flat drawing of its
// logarithm.
#include "synthetic_model.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skimline::generate {
namespace {

constexpr double kLowestMass = 150, kHighestMass = 9000;  // GeV
constexpr double kJetResolution = 0.05;

double wrapped(double azimuth) {
  return azimuth > std::numbers::pi ? azimuth - 2 * std::numbers::pi : azimuth;
}

double draw_mass(EventRandom& random) {
  return kLowestMass * maths::exp(maths::log(kHighestMass / kLowestMass) * random.uniform());
}

// dN/dlog(m) of the falling spectrum, which ends at the energy of the collision, 13 TeV.
double weight_of(double mass) {
  const double x = mass / 13000;
  const double scaled = 1000 / mass;
  return maths::pow(1 - x, 8) * scaled * scaled * scaled * scaled * std::sqrt(scaled);
}

void draw_leading_jets(double mass, EventRandom& random, Jets& jets) {
  const double half_separation = random.uniform(-1.3, 1.3), boost = 0.6 * random.normal();
  const double pt = 0.5 * mass / maths::cosh(half_separation);
  const double azimuth = random.azimuth();
  const double opposite = wrapped(azimuth + std::numbers::pi);
  for (const int side : {1, -1}) {
    const double jet_pt = pt * (1 + kJetResolution * random.normal());
    jets.add({jet_pt, boost + side * half_separation, side == 1 ? azimuth : opposite,
              jet_pt * (0.06 + 0.03 * std::abs(random.normal()))});
  }
}

void generate_event(std::uint64_t seed, std::uint64_t entry, EventBlock& block) {
  EventRandom random(seed, entry);
  add_event_identity(entry, random, block.events);
  const double mass = draw_mass(random);
  Jets jets;
  draw_leading_jets(mass, random, jets);
  draw_jets(random, jets);

  MissingMomentum missing{0, 0, 150 + 20 * random.normal()};
  for (const Jet& jet : jets) missing.sum += jet.pt;
  const double resolution = 0.6 * std::sqrt(missing.sum);
  missing.x = resolution * random.normal();
  missing.y = resolution * random.normal();

  add_jets(jets, random, block.jets);
  add_missing_momentum(missing, block.events);
  block.events.gen_weight.push_back(with_mantissa_bits(weight_of(mass), kUsualBits));
}

std::vector<SyntheticColumn> dijet_columns() {
  using Block = EventBlock;
  using Events = EventColumns;
  std::vector<SyntheticColumn> columns = event_columns();
  for (auto part : {jet_columns(), missing_momentum_columns()})
    columns.insert(columns.end(), part.begin(), part.end());
  columns.push_back(flat_column<&Block::events, &Events::num_vertices>("PV_npvs", ScalarType::kInt32,
                                                                       "number of primary vertices"));
  columns.push_back(
      flat_column<&Block::events, &Events::gen_weight>("genWeight", ScalarType::kFloat, "generator weight"));
  return columns;
}

}  // namespace

SyntheticLayout dijet_layout() {
  return {dijet_columns(), [](std::uint64_t seed, EntryRange range, EventBlock& block) {
            for (std::uint64_t entry = range.first; entry < range.end(); ++entry)
              generate_event(seed, entry, block);
          }};
}

}  // namespace skimline::generate
