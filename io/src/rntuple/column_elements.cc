// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/column_elements.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace skimline::io {
namespace {

// More elements than any page list can have, of a single entry.
constexpr std::uint64_t kTooMany = std::numeric_limits<std::uint64_t>::max();

bool is_first_representation(const ColumnDescriptor& column) { return column.representation == 0; }

}  // namespace

std::vector<std::uint32_t> column_positions(const RNTupleDescriptor& descriptor) {
  std::vector<std::uint32_t> of_first(descriptor.fields.size());  // representation, which most columns have
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> of_others;
  std::vector<std::uint32_t> positions;
  positions.reserve(descriptor.columns.size());
  for (const ColumnDescriptor& column : descriptor.columns) {
    std::uint32_t& count = is_first_representation(column) ? of_first.at(column.field)
                                                           : of_others[{column.field, column.representation}];
    positions.push_back(count++);
  }
  return positions;
}

std::vector<std::uint32_t> first_representations(const RNTupleDescriptor& descriptor) {
  const SharedList<ColumnDescriptor>& columns = descriptor.columns;
  std::vector<std::uint32_t> first(columns.size());
  std::iota(first.begin(), first.end(), 0u);
  if (std::all_of(columns.begin(), columns.end(), is_first_representation)) return first;
  const std::vector<std::uint32_t> positions = column_positions(descriptor);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  for (std::uint32_t column = 0; column < columns.size(); ++column)
    first[column] = known.try_emplace({columns[column].field, positions[column]}, column).first->second;
  return first;
}

std::vector<ElementsOf> elements_of_columns(const RNTupleDescriptor& schema) {
  const std::vector<std::uint32_t> positions = column_positions(schema);
  std::vector<ElementsOf> elements;
  for (std::size_t column = 0; column < schema.columns.size(); ++column) {
    std::uint32_t id = schema.columns[column].field;
    ElementsOf& of = elements.emplace_back();
    if (positions[column] > 0) {
      of.field = id;
      continue;
    }
    of.count = schema.fields[id].repetition.value_or(1);
    for (; !schema.is_top_level(id); id = schema.fields[id].parent) {
      const FieldDescriptor& parent = schema.fields[schema.fields[id].parent];
      if (parent.role != FieldRole::kPlain && parent.role != FieldRole::kRecord) {
        of.is_alternative = parent.role == FieldRole::kVariant;
        of.field = of.is_alternative ? id : schema.fields[id].parent;
        break;
      }
      if (__builtin_mul_overflow(of.count, parent.repetition.value_or(1), &of.count)) of.count = kTooMany;
    }
  }
  return elements;
}

}  // namespace skimline::io
