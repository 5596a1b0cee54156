// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/axis_kinds.h"

#include "skimline/framework/error.h"

namespace skimline::histograms {
namespace {

Axis regular(const AxisDefinition& bins) {
  return Axis::regular(bins.num_bins, bins.low, bins.high, bins.flow);
}

Axis variable(const AxisDefinition& bins) { return Axis::variable(bins.edges, bins.flow); }

Axis integer(const AxisDefinition& bins) {
  constexpr double kLimit = 0x1p31;
  if (!(bins.low >= -kLimit && bins.low < kLimit && bins.high == bins.low + bins.num_bins &&
        bins.high <= kLimit))
    throw ConfigError("an integer axis with impossible limits");
  return Axis::integer(static_cast<std::int32_t>(bins.low), static_cast<std::int32_t>(bins.high - 1),
                       bins.flow);
}

Axis string_categories(const AxisDefinition& bins) { return Axis::categories(bins.names, bins.is_growing); }

Axis integer_categories(const AxisDefinition& bins) {
  return Axis::categories(bins.numbers, bins.is_growing);
}

constexpr AxisKindTraits kAxisKinds[] = {
    {AxisKind::kRegular, "regular", "bins of equal width", AxisValues::kNumbers, BinsBy::kLimits, "",
     regular},
    {AxisKind::kVariable, "variable", "bins between edges", AxisValues::kNumbers, BinsBy::kEdges, "",
     variable},
    {AxisKind::kInteger, "integer", "integers", AxisValues::kNumbers, BinsBy::kLimits, "integer", integer},
    {AxisKind::kStringCategories, "string_categories", "texts as categories", AxisValues::kTexts,
     BinsBy::kNames, "", string_categories},
    {AxisKind::kIntegerCategories, "integer_categories", "integers as categories", AxisValues::kIntegers,
     BinsBy::kNumbers, "", integer_categories},
};

constexpr bool are_in_order() {
  std::size_t number = 0;
  for (const AxisKindTraits& each : kAxisKinds)
    if (each.kind != static_cast<AxisKind>(number++)) return false;
  return true;
}
static_assert(are_in_order());

}  // namespace

std::span<const AxisKindTraits> axis_kinds() { return kAxisKinds; }

const AxisKindTraits& traits_of(AxisKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  if (number >= std::size(kAxisKinds)) throw InternalError("an axis of a kind that the table lacks");
  return kAxisKinds[number];
}

}  // namespace skimline::histograms
