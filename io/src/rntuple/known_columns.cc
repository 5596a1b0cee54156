// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/known_columns.h"

#include "rntuple/held_values.h"

namespace skimline::io {
namespace {

bool is_of(const KnownColumns& known, const RNTupleDescriptor& descriptor) {
  return known.fields == descriptor.fields && known.columns == descriptor.columns &&
         known.aliases == descriptor.aliases && known.attribute_sets == descriptor.attribute_sets &&
         known.description == descriptor.description;
}

}  // namespace

std::shared_ptr<const KnownColumns> known_columns(const RNTupleDescriptor& descriptor) {
  static HeldValues<KnownColumns> held;
  const auto is_ours = [&](const KnownColumns& known) { return is_of(known, descriptor); };
  if (auto known = held.find(is_ours)) return known;
  return held.add(std::make_shared<const KnownColumns>(KnownColumns{
                      descriptor.fields, descriptor.columns, descriptor.aliases, descriptor.attribute_sets,
                      descriptor.description, find_field_columns(descriptor)}),
                  is_ours);
}

}  // namespace skimline::io
