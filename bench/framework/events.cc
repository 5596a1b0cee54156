// SPDX-License-Identifier: BSD-3-Clause
#include "events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace skimline::bench {
namespace {

constexpr std::array<std::string_view, 6> kTriggers = {
    "HLT_IsoMu24",  "HLT_Ele32_WPTight_Gsf",      "HLT_Mu17_TrkIsoVVL_Mu8_TrkIsoVVL_DZ_Mass3p8",
    "HLT_PFHT1050", "HLT_DoubleEle33_CaloIdL_MW", "HLT_PFMET120_PFMHT120_IDTight",
};

using Random = std::mt19937_64;

template <typename T, typename Distribution>
std::vector<T> drawn(std::size_t count, Distribution distribution, Random& random) {
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(distribution(random));
  return values;
}

std::unique_ptr<bool[]> flags(std::size_t count, double fraction, Random& random) {
  auto values = std::make_unique<bool[]>(count);
  std::bernoulli_distribution is_set(fraction);
  for (std::size_t i = 0; i < count; ++i) values[i] = is_set(random);
  return values;
}

std::uniform_real_distribution<double> uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high);
}
std::uniform_real_distribution<double> azimuth() { return uniform(-std::numbers::pi, std::numbers::pi); }

LorentzVector vector_of(double pt, double eta, double phi, double mass) {
  const double x = pt * std::cos(phi), y = pt * std::sin(phi), z = pt * std::sinh(eta);
  return {x, y, z, std::sqrt(x * x + y * y + z * z + mass * mass)};
}

void shuffle_indexes(Particles& particles, Random& random) {
  particles.by_pt.resize(particles.size());
  for (std::size_t entry = 0; entry < kBatch; ++entry) {
    const auto first = particles.by_pt.begin() + particles.offsets[entry];
    const auto last = particles.by_pt.begin() + particles.offsets[entry + 1];
    std::iota(first, last, std::uint64_t{0});
    std::shuffle(first, last, random);
  }
}

// At least `least` particles per event, and `mean` on average.
Particles particles(std::uint32_t least, double mean, Random& random) {
  Particles made;
  std::poisson_distribution<std::uint32_t> more(mean - least);
  made.offsets = {0};
  while (made.offsets.size() <= kBatch) made.offsets.push_back(made.offsets.back() + least + more(random));
  const std::size_t count = made.offsets.back();
  made.pt = drawn<float>(count, std::exponential_distribution<double>(1 / 40.0), random);
  made.eta = drawn<float>(count, uniform(-2.5, 2.5), random);
  made.phi = drawn<float>(count, azimuth(), random);
  made.mass = drawn<float>(count, uniform(0, 20), random);
  made.id = drawn<std::int32_t>(count, std::uniform_int_distribution<int>(0, 3), random);
  made.is_good = flags(count, 2 / 3.0, random);
  shuffle_indexes(made, random);
  for (std::size_t i = 0; i < count; ++i) {
    made.charge.push_back(made.id[i] % 2 == 0 ? 1 : -1);
    made.p4.push_back(vector_of(made.pt[i], made.eta[i], made.phi[i], made.mass[i]));
    made.names.push_back(kTriggers[random() % kTriggers.size()]);
  }
  return made;
}

std::vector<std::uint32_t> positions(const bool* flags) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < kBatch; ++i)
    if (flags[i]) found.push_back(i);
  return found;
}

void draw_selections(Batch& batch, Random& random) {
  batch.keeps_1 = flags(kBatch, 0.01, random);
  batch.keeps_20 = flags(kBatch, 0.2, random);
  batch.keeps_90 = flags(kBatch, 0.9, random);
  batch.entries_1 = positions(batch.keeps_1.get());
  batch.entries_20 = positions(batch.keeps_20.get());
  batch.entries_90 = positions(batch.keeps_90.get());
}

Batch batch(std::uint64_t number) {
  Random random(number);
  Batch made;
  for (auto* values : {&made.x, &made.y, &made.eta1, &made.eta2})
    *values = drawn<float>(kBatch, uniform(-2.5, 2.5), random);
  for (auto* values : {&made.phi1, &made.phi2}) *values = drawn<float>(kBatch, azimuth(), random);
  for (auto* values : {&made.dx, &made.dy, &made.eta})
    *values = drawn<double>(kBatch, uniform(-2.5, 2.5), random);
  made.pt = drawn<double>(kBatch, uniform(5, 200), random);
  made.phi = drawn<double>(kBatch, azimuth(), random);
  made.mass = drawn<double>(kBatch, uniform(0, 20), random);
  made.ix = drawn<std::int32_t>(kBatch, std::uniform_int_distribution<int>(-100, 100), random);
  made.iy = drawn<std::int32_t>(kBatch, std::uniform_int_distribution<int>(1, 100), random);
  made.event.resize(kBatch);
  std::iota(made.event.begin(), made.event.end(), number * kBatch);
  made.flag = flags(kBatch, 0.5, random);
  made.few = particles(1, 3, random);
  made.several = particles(3, 4, random);
  made.many = particles(3, 10, random);
  draw_selections(made, random);
  return made;
}

}  // namespace

const std::vector<Batch>& batches() {
  static const std::vector<Batch> made = [] {
    std::vector<Batch> all;
    for (std::uint64_t number = 0; number < kNumBatches; ++number) all.push_back(batch(number));
    return all;
  }();
  return made;
}

}  // namespace skimline::bench
