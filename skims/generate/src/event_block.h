// SPDX-License-Identifier: BSD-3-Clause
// The events of one slice, column by column, and the objects they are made of.
#pragma once

#include "adl_block.h"
#include "agc_block.h"
#include "lhcb_block.h"

#include "skimline/framework/column.h"
#include "skimline/framework/schema.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace skimline::generate {

/// Returns `value` with its mantissa rounded to `bits` bits, as NanoAOD stores numbers; finite values only.
inline float with_mantissa_bits(double value, int bits) {
  const int dropped = 23 - bits;
  const auto pattern = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t mask = (1u << dropped) - 1;
  return std::bit_cast<float>((pattern + (mask >> 1) + 1) & ~mask);
}
inline constexpr int kDirectionBits = 12;
inline constexpr int kUsualBits = 10;

struct Lepton {
  double pt = 0, eta = 0, phi = 0;
  int charge = 1;
  bool is_isolated = true;
};

struct Jet {
  double pt = 0, eta = 0, phi = 0, mass = 0;
};

/// Objects of one event whose number is bounded.
template <typename Object, std::size_t kCapacity>
struct ObjectList {
  Object items[kCapacity];
  std::size_t size = 0;

  void add(const Object& object) {
    if (size < kCapacity) items[size++] = object;
  }
  Object* begin() { return items; }
  Object* end() { return items + size; }
  const Object* begin() const { return items; }
  const Object* end() const { return items + size; }
  std::span<const Object> all() const { return {items, size}; }
};
using Leptons = ObjectList<Lepton, 8>;
/// What draw_jets() adds at most, to two that a model has before.
inline constexpr std::size_t kMaximumDrawnJets = 15;
using Jets = ObjectList<Jet, 2 + kMaximumDrawnJets>;

struct EventColumns {
  std::vector<std::int32_t> run;
  std::vector<std::uint32_t> luminosity_block;
  std::vector<std::uint64_t> event;
  std::vector<float> met_pt, met_phi, met_sumet, gen_weight;
  std::vector<std::int32_t> num_vertices;
  std::vector<std::uint8_t> passes_iso_mu24;
};

struct MuonColumns {
  std::vector<std::uint32_t> counts, offsets{0};
  std::vector<float> pt, eta, phi, mass, isolation, dxy, dz;
  std::vector<std::int32_t> charge;
  std::vector<std::uint8_t> is_tight;
};

struct JetColumns {
  std::vector<std::uint32_t> counts, offsets{0};
  std::vector<float> pt, eta, phi, mass, btag;
};

struct EventBlock {
  EventColumns events;
  MuonColumns muons;
  JetColumns jets;
  AdlBlock adl;
  AgcBlock agc;
  LhcbBlock lhcb;
};

/// A column as a source offers it, and where a block has its values.
struct SyntheticColumn {
  ColumnInfo info;
  std::function<ColumnView(const EventBlock&)> view;
};

}  // namespace skimline::generate
