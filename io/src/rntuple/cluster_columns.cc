// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_columns.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// Zeros are made in memory, and no input has pages for them that justify them.
constexpr std::uint64_t kMaxZeroBytes = std::uint64_t{1} << 30;

class ClusterColumns {
 public:
  ClusterColumns(const MergeSchema& schema, const SourceCluster& source)
      : schema_(schema), source_(source), columns_(schema.num_columns()) {}

  std::vector<ClusterColumn> find() {
    find_stored();
    for (const auto& representations : schema_.representations()) choose(representations);
    for (std::size_t column = 0; column < columns_.size(); ++column)
      if (columns_[column].is_active) count(column);
    return std::move(columns_);
  }

 private:
  void find_stored() {
    for (std::size_t id = 0; id < source_.cluster.columns.size(); ++id) {
      const ColumnRange& range = source_.cluster.columns[id];
      const std::uint32_t column = source_.columns[id];
      if (range.is_suppressed || column == kLeftOutColumn) continue;
      columns_[column].stored = &range;
      columns_[column].num_elements = range.num_elements();
    }
  }

  void choose(const std::vector<std::vector<std::uint32_t>>& representations) {
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < representations.size(); ++i)
      if (columns_[representations[i].front()].stored) chosen = i;
    for (const std::uint32_t column : representations[chosen]) columns_[column].is_active = true;
  }

  void count(std::size_t column) {
    ClusterColumn& here = columns_[column];
    const ElementsOf& elements = schema_.elements_of(column);
    if (!elements.are_entries() && here.stored) return;
    const std::uint64_t outer = elements.are_entries() ? source_.cluster.num_entries : items_of(elements);
    std::uint64_t expected = 0;
    if (__builtin_mul_overflow(outer, elements.count, &expected) || here.num_elements > expected)
      throw FormatError(place(column) + "has " + std::to_string(here.num_elements) + " elements for " +
                        std::to_string(outer) + " entries");
    here.num_zeros = expected - here.num_elements;
    here.num_elements = expected;
    if (here.num_zeros > 0 && schema_.encoding(column).type == ColumnType::kReal32Quant)
      throw no_place_for_zeros(column, here.num_zeros);
    if (here.num_zeros > kMaxZeroBytes / schema_.element_size(column))
      throw FormatError(place(column) + "lacks " + std::to_string(here.num_zeros) + " elements");
  }

  // The number of items of a collection, or of an alternative, as a column of them tells.
  std::uint64_t items_of(const ElementsOf& items) const {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const ElementsOf& elements = schema_.elements_of(column);
      if (elements.field == items.field && elements.is_alternative == items.is_alternative &&
          columns_[column].stored && elements.count > 0)
        return columns_[column].stored->num_elements() / elements.count;
    }
    return 0;
  }

  // A range of numbers begins with the smallest one, whose bits are 0.
  SchemaError no_place_for_zeros(std::size_t column, std::uint64_t count) const {
    const bool is_late =
        std::find(source_.columns.begin(), source_.columns.end(), column) != source_.columns.end();
    const std::string what = is_late
                                 ? "lacks the first " + std::to_string(count) +
                                       " elements, as the field was added later: they are zeros"
                                 : "is missing: its " + std::to_string(count) + " elements would be zeros";
    const std::string remedy = is_late ? "convert the file first" : "leave the field out";
    return SchemaError(place(column) + what + ", which have no place among numbers of a range; " + remedy);
  }

  std::string place(std::size_t column) const {
    const RNTupleDescriptor& schema = schema_.descriptor();
    return "a column of field \"" + schema.fields[schema.columns[column].field].name + "\" ";
  }

  const MergeSchema& schema_;
  const SourceCluster& source_;
  std::vector<ClusterColumn> columns_;
};

}  // namespace

MergeSchema::MergeSchema(UnitedSchema united)
    : united_(std::move(united)),
      elements_of_(elements_of_columns(united_.schema)),
      columns_of_items_(united_.schema.fields.size()),
      columns_of_alternatives_(united_.schema.fields.size()),
      alternatives_(united_.schema.fields.size()),
      representations_(united_.schema.fields.size()) {
  find_items();
  for (std::uint32_t id = 0; id < united_.schema.columns.size(); ++id) {
    const ColumnDescriptor& column = united_.schema.columns[id];
    encodings_.push_back({column.type, column.bits_on_storage, column.value_min, column.value_max});
    element_sizes_.push_back(raw_element_size(encodings_.back()));
    auto& representations = representations_[column.field];
    const std::size_t number = column.representation;
    if (number != representations.size() && number + 1 != representations.size())
      throw FormatError("field \"" + united_.schema.fields[column.field].name + "\" has a representation " +
                        std::to_string(number) + " behind " + std::to_string(representations.size()) +
                        " others");
    representations.resize(number + 1);
    representations.back().push_back(id);
  }
  std::erase_if(representations_, [](const auto& representations) { return representations.empty(); });
}

void MergeSchema::find_items() {
  const RNTupleDescriptor& schema = united_.schema;
  for (std::uint32_t column = 0; column < num_columns(); ++column) {
    const ElementsOf& of = elements_of_[column];
    if (!of.are_entries())
      (of.is_alternative ? columns_of_alternatives_ : columns_of_items_)[of.field].push_back(column);
  }
  for (std::uint32_t id = 0; id < schema.fields.size(); ++id)
    if (!schema.is_top_level(id) && schema.fields[schema.fields[id].parent].role == FieldRole::kVariant)
      alternatives_[schema.fields[id].parent].push_back(id);
}

const std::vector<std::uint32_t>& MergeSchema::columns_of_items(std::uint32_t field,
                                                                bool is_alternative) const {
  return (is_alternative ? columns_of_alternatives_ : columns_of_items_)[field];
}

std::vector<ClusterColumn> columns_of_cluster(const MergeSchema& schema, const SourceCluster& source) {
  return ClusterColumns(schema, source).find();
}

std::uint64_t bytes_in_memory(const MergeSchema& schema, const std::vector<ClusterColumn>& columns) {
  std::uint64_t bytes = 0;
  for (std::size_t column = 0; column < columns.size(); ++column)
    bytes += columns[column].num_elements * schema.element_size(column);
  return bytes;
}

}  // namespace skimline::io
