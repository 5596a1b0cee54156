// SPDX-License-Identifier: BSD-3-Clause
// Lorentz vectors, angles, and what pairs and triples of particles give.
#include "comparison.h"
#include "expression/operators.h"
#include "expression/subset_reductions.h"
#include "expression/subset_values.h"

#include "skimline/framework/maths.h"

#include <limits>
#include <memory>
#include <numbers>

namespace skimline::bench {
namespace {

LorentzVector plus(const LorentzVector& a, const LorentzVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy};
}

double mass(const LorentzVector& v) {
  return std::sqrt(v.energy * v.energy - v.x * v.x - v.y * v.y - v.z * v.z);
}

// Calls `use(i, j)` for the pairs of each event, whose results it appends.
template <typename R, typename Use>
void for_pairs(const Particles& particles, R* values, std::uint32_t* offsets, Use use) {
  std::uint32_t count = 0;
  offsets[0] = 0;
  for (std::size_t event = 0; event < kBatch; ++event) {
    const std::uint32_t first = particles.offsets[event], last = particles.offsets[event + 1];
    for (std::uint32_t i = first; i < last; ++i)
      for (std::uint32_t j = i + 1; j < last; ++j) values[count++] = use(i, j);
    offsets[event + 1] = count;
  }
}

template <typename R, typename Use>
void for_triples(const Particles& particles, R* values, std::uint32_t* offsets, Use use) {
  std::uint32_t count = 0;
  offsets[0] = 0;
  for (std::size_t event = 0; event < kBatch; ++event) {
    const std::uint32_t first = particles.offsets[event], last = particles.offsets[event + 1];
    for (std::uint32_t i = first; i < last; ++i)
      for (std::uint32_t j = i + 1; j < last; ++j)
        for (std::uint32_t k = j + 1; k < last; ++k) values[count++] = use(i, j, k);
    offsets[event + 1] = count;
  }
}

using Member = std::int64_t;

template <Member kSize, Member kMember>
std::vector<ColumnView> members(const Batch& b) {
  return {list_view(b.several, b.several.pt), list_view(b.several, b.several.pt), constant_view<kSize>(),
          constant_view<kMember>()};
}
template <Member kSize, Member kMember>
std::vector<ColumnView> members_of_many(const Batch& b) {
  return {list_view(b.many, b.many.pt), list_view(b.many, b.many.pt), constant_view<kSize>(),
          constant_view<kMember>()};
}
template <Member kSize>
std::vector<ColumnView> vectors(const Batch& b) {
  return {list_view(b.several, b.several.p4), list_view(b.several, b.several.pt), constant_view<kSize>()};
}
template <Member kSize>
std::vector<ColumnView> vectors_of_many(const Batch& b) {
  return {list_view(b.many, b.many.p4), list_view(b.many, b.many.pt), constant_view<kSize>()};
}

Kernel member_kernel(std::uint64_t size, Kernel::Inputs inputs) {
  return {operation_of(members_of_subsets(ScalarType::kFloat, size), jagged(ScalarType::kFloat)), inputs};
}
Kernel mass_kernel(std::uint64_t size, Kernel::Inputs inputs) {
  return {operation_of(masses_of_subsets(size), jagged(ScalarType::kDouble)), inputs};
}

void add_members() {
  add<float>({"first of pairs of 4", kPerResult, member_kernel(2, members<2, 0>),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                for_pairs(b.several, values, offsets, [&](auto i, auto) { return b.several.pt[i]; });
              }});
  add<float>({"second of pairs of 4", kPerResult, member_kernel(2, members<2, 1>),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                for_pairs(b.several, values, offsets, [&](auto, auto j) { return b.several.pt[j]; });
              }});
  add<float>({"second of pairs of 10", kPerResult, member_kernel(2, members_of_many<2, 1>),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                for_pairs(b.many, values, offsets, [&](auto, auto j) { return b.many.pt[j]; });
              }});
  add<float>({"second of triples of 10", kPerResult, member_kernel(3, members_of_many<3, 1>),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                for_triples(b.many, values, offsets, [&](auto, auto j, auto) { return b.many.pt[j]; });
              }});
  add<float>({"third of triples of 10", kPerResult, member_kernel(3, members_of_many<3, 2>),
              [](const Batch& b, float* values, std::uint32_t* offsets) {
                for_triples(b.many, values, offsets, [&](auto, auto, auto k) { return b.many.pt[k]; });
              }});
}

void add_masses() {
  const auto pair_mass = [](const Particles& particles, double* values, std::uint32_t* offsets) {
    for_pairs(particles, values, offsets,
              [&](auto i, auto j) { return mass(plus(particles.p4[i], particles.p4[j])); });
  };
  const auto triple_mass = [](const Particles& particles, double* values, std::uint32_t* offsets) {
    for_triples(particles, values, offsets, [&](auto i, auto j, auto k) {
      return mass(plus(plus(particles.p4[i], particles.p4[j]), particles.p4[k]));
    });
  };
  add<double>({"mass of pairs of 4", kPerResult, mass_kernel(2, vectors<2>),
               [=](const Batch& b, double* values, std::uint32_t* offsets) {
                 pair_mass(b.several, values, offsets);
               }});
  add<double>(
      {"mass of pairs of 10", kPerResult, mass_kernel(2, vectors_of_many<2>),
       [=](const Batch& b, double* values, std::uint32_t* offsets) { pair_mass(b.many, values, offsets); }});
  add<double>({"mass of triples of 4", kPerResult, mass_kernel(3, vectors<3>),
               [=](const Batch& b, double* values, std::uint32_t* offsets) {
                 triple_mass(b.several, values, offsets);
               }});
  add<double>({"mass of triples of 10", kPerResult, mass_kernel(3, vectors_of_many<3>),
               [=](const Batch& b, double* values, std::uint32_t* offsets) {
                 triple_mass(b.many, values, offsets);
               }});
}

// ArgMin(abs(masses of triples - 172.5)), the first input being the list that is combined.
Kernel nearest_triple(Kernel::Inputs inputs) {
  const auto program = std::make_shared<SubsetProgram>();
  program->count = 3;
  program->fold = subset_fold("ArgMin", ScalarType::kDouble).value();
  program->steps.push_back({.kind = SubsetStep::Kind::kMass, .input = 1, .operands = {}});
  const Loop minus = binary_operation(Operator::kMinus, ScalarType::kDouble, ScalarType::kDouble, true)->loop;
  program->steps.push_back({.loop = minus, .operands = {{}, {true, Constant::of(172.5)}}});
  const Argument difference{flat(ScalarType::kDouble)};
  program->steps.push_back({.loop = find_function("abs")->choose({&difference, 1})->loop,
                            .operands = {{.constant = {}, .step = 1}}});
  Operation operation = operation_of(reduce_subsets, flat(ScalarType::kUInt64));
  operation.state = program;
  return {operation, inputs};
}

void find_nearest_triple(const Particles& particles, std::uint64_t* values) {
  for (std::size_t event = 0; event < kBatch; ++event) {
    const std::uint32_t first = particles.offsets[event], last = particles.offsets[event + 1];
    std::uint64_t number = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = first; i < last; ++i)
      for (std::uint32_t j = i + 1; j < last; ++j)
        for (std::uint32_t k = j + 1; k < last; ++k, ++number) {
          const LorentzVector sum = plus(plus(particles.p4[i], particles.p4[j]), particles.p4[k]);
          const double distance = std::fabs(mass(sum) - 172.5);
          if (distance < least) values[event] = number;
          least = std::min(least, distance);
        }
  }
}

void add_nearest() {
  add<std::uint64_t>({"nearest triple of 4", kPerEntry,
                      nearest_triple([](const Batch& b) -> std::vector<ColumnView> {
                        return {list_view(b.several, b.several.pt), list_view(b.several, b.several.p4)};
                      }),
                      [](const Batch& b, std::uint64_t* values, std::uint32_t*) {
                        find_nearest_triple(b.several, values);
                      }});
  add<std::uint64_t>(
      {"nearest triple of 10", kPerEntry, nearest_triple([](const Batch& b) -> std::vector<ColumnView> {
         return {list_view(b.many, b.many.pt), list_view(b.many, b.many.p4)};
       }),
       [](const Batch& b, std::uint64_t* values, std::uint32_t*) { find_nearest_triple(b.many, values); }});
}

void add_vectors() {
  const auto coordinates = [](const Batch& b) -> std::vector<ColumnView> {
    return {flat_view(b.pt), flat_view(b.eta), flat_view(b.phi), flat_view(b.mass)};
  };
  const auto p4 = [](const Batch& b) -> std::vector<ColumnView> { return {list_view(b.few, b.few.p4)}; };
  add<LorentzVector>({"P4(pt, eta, phi, mass)", kPerEntry, called("P4", coordinates),
                      [](const Batch& b, LorentzVector* values, std::uint32_t*) {
                        for (std::size_t i = 0; i < kBatch; ++i) {
                          const double x = b.pt[i] * maths::cos(b.phi[i]), y = b.pt[i] * maths::sin(b.phi[i]);
                          const double z = b.pt[i] * maths::sinh(b.eta[i]);
                          values[i] = {x, y, z, std::sqrt(x * x + y * y + z * z + b.mass[i] * b.mass[i])};
                        }
                      },
                      kRounding});
  add<LorentzVector>(
      {"Sum(p4) of 3", kPerFew, called("Sum", p4), [](const Batch& b, LorentzVector* values, std::uint32_t*) {
         for (std::size_t event = 0; event < kBatch; ++event) {
           LorentzVector sum{};
           for (std::uint32_t i = b.few.offsets[event]; i < b.few.offsets[event + 1]; ++i)
             sum = plus(sum, b.few.p4[i]);
           values[event] = sum;
         }
       }});
  add<double>(
      {"mass(p4)", kPerFew, called("mass", p4), [](const Batch& b, double* values, std::uint32_t* offsets) {
         for (std::size_t event = 0; event < kBatch; ++event) {
           for (std::uint32_t i = b.few.offsets[event]; i < b.few.offsets[event + 1]; ++i) {
             const LorentzVector& v = b.few.p4[i];
             const double square = v.energy * v.energy - v.x * v.x - v.y * v.y - v.z * v.z;
             values[i] = square < 0 ? -std::sqrt(-square) : std::sqrt(square);
           }
           offsets[event + 1] = b.few.offsets[event + 1];
         }
       }});
}

float delta_phi(float a, float b) {
  constexpr float kPi = std::numbers::pi_v<float>;
  double difference = b - a;
  if (difference > kPi) difference -= 2.0 * kPi;
  if (difference < -kPi) difference += 2.0 * kPi;
  return static_cast<float>(difference);
}

void add_angles() {
  const auto directions = [](const Batch& b) -> std::vector<ColumnView> {
    return {flat_view(b.eta1), flat_view(b.eta2), flat_view(b.phi1), flat_view(b.phi2)};
  };
  const auto azimuths = [](const Batch& b) -> std::vector<ColumnView> {
    return {flat_view(b.phi1), flat_view(b.phi2)};
  };
  add<float>({"DeltaPhi", kPerEntry, called("DeltaPhi", azimuths),
              [](const Batch& b, float* values, std::uint32_t*) {
                for (std::size_t i = 0; i < kBatch; ++i) values[i] = delta_phi(b.phi1[i], b.phi2[i]);
              }});
  add<float>(
      {"DeltaR", kPerEntry, called("DeltaR", directions), [](const Batch& b, float* values, std::uint32_t*) {
         for (std::size_t i = 0; i < kBatch; ++i) {
           const float deta = b.eta1[i] - b.eta2[i], dphi = delta_phi(b.phi1[i], b.phi2[i]);
           values[i] = std::sqrt(deta * deta + dphi * dphi);
         }
       }});
}

}  // namespace

void add_kinematics() {
  add_members();
  add_masses();
  add_nearest();
  add_vectors();
  add_angles();
}

}  // namespace skimline::bench
