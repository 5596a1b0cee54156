// SPDX-License-Identifier: BSD-3-Clause
// What models have in common.
#pragma once

#include "event_block.h"
#include "event_random.h"

#include "skimline/framework/column.h"
#include "skimline/framework/source.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace skimline::generate {

/// What a model offers and how it makes one event: entry `entry` is appended to all columns of the block.
struct SyntheticLayout {
  std::vector<SyntheticColumn> columns;
  std::function<void(std::uint64_t seed, EntryRange range, EventBlock& block)> generate;
};

SyntheticLayout dimuon_layout();
SyntheticLayout dijet_layout();
SyntheticLayout adl_layout();
SyntheticLayout lhcb_layout();
/// `sample` is a place in agc_samples().
SyntheticLayout agc_layout(std::size_t sample);

/// Numbers every event has, whatever happens in it: run, luminosity block, event number, vertices.
void add_event_identity(std::uint64_t entry, EventRandom& random, EventColumns& columns);

struct MissingMomentum {
  double x = 0, y = 0, sum = 0;
};
void add_missing_momentum(const MissingMomentum& missing, EventColumns& columns);

/// Adds up to 15 jets, 3.2 on average, with a power-law spectrum above 15 GeV.
void draw_jets(EventRandom& random, Jets& jets);

/// Falls from the centre, up to 4.7.
double draw_jet_eta(EventRandom& random);

/// A b-tag score from 0 to 1, or one of the marks -10 and -1 of jets without a value.
double draw_btag(EventRandom& random);

/// Appends the jets in order of falling pt.
void add_jets(Jets& jets, EventRandom& random, JetColumns& columns);

std::vector<SyntheticColumn> event_columns();
std::vector<SyntheticColumn> jet_columns();
std::vector<SyntheticColumn> missing_momentum_columns();
std::vector<SyntheticColumn> adl_columns();
std::vector<SyntheticColumn> agc_columns();

template <typename T>
ColumnView flat_view(ScalarType scalar, const std::vector<T>& values) {
  return {flat(scalar), values.size(), values.data()};
}
template <typename T>
ColumnView list_view(ScalarType scalar, const std::vector<std::uint32_t>& offsets,
                     const std::vector<T>& values) {
  return {jagged(scalar), offsets.size() - 1, values.data(), offsets.data()};
}

/// Names a member of the event, or of a list of objects, as a column.
template <auto kPart, auto kMember>
SyntheticColumn flat_column(std::string name, ScalarType scalar, std::string description) {
  return {{std::move(name), flat(scalar), std::move(description)},
          [scalar](const EventBlock& block) { return flat_view(scalar, block.*kPart.*kMember); }};
}
template <auto kPart, auto kMember>
SyntheticColumn list_column(std::string name, ScalarType scalar, std::string description) {
  return {{std::move(name), jagged(scalar), std::move(description)}, [scalar](const EventBlock& block) {
            return list_view(scalar, (block.*kPart).offsets, block.*kPart.*kMember);
          }};
}

}  // namespace skimline::generate
