// SPDX-License-Identifier: BSD-3-Clause
// What a cluster of one input has of each column of the merged RNTuple.
#pragma once

#include "rntuple/column_elements.h"
#include "rntuple/schema_union.h"

#include "skimline/io/page_encoding.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skimline::io {

/// The schema of a merged RNTuple, and what follows from it for its columns.
class MergeSchema {
 public:
  /// Throws FormatError for representations out of order.
  explicit MergeSchema(UnitedSchema united);

  const RNTupleDescriptor& descriptor() const { return united_.schema; }
  const std::vector<std::string>& left_out() const { return united_.left_out; }
  const std::vector<std::string>& other_bits() const { return united_.other_bits; }
  /// By physical column of an input with the schema of this number.
  const std::vector<std::uint32_t>& columns_of(std::size_t schema) const { return united_.columns[schema]; }
  std::size_t num_columns() const { return united_.schema.columns.size(); }
  const ElementsOf& elements_of(std::size_t column) const { return elements_of_[column]; }
  /// The columns of the items of a collection, or of an alternative of a variant, by the field that says so
  /// in ElementsOf.
  const std::vector<std::uint32_t>& columns_of_items(std::uint32_t field, bool is_alternative) const;
  /// The alternatives of a variant, by its field, in the order of their tags.
  const std::vector<std::uint32_t>& alternatives_of(std::uint32_t field) const {
    return alternatives_[field];
  }
  const PageEncoding& encoding(std::size_t column) const { return encodings_[column]; }
  std::size_t element_size(std::size_t column) const { return element_sizes_[column]; }
  /// By field that has columns: the columns of each representation.
  const std::vector<std::vector<std::vector<std::uint32_t>>>& representations() const {
    return representations_;
  }

 private:
  void find_items();

  UnitedSchema united_;
  std::vector<ElementsOf> elements_of_;
  std::vector<std::vector<std::uint32_t>> columns_of_items_, columns_of_alternatives_;  // by field
  std::vector<std::vector<std::uint32_t>> alternatives_;                                // by field
  std::vector<PageEncoding> encodings_;
  std::vector<std::size_t> element_sizes_;
  std::vector<std::vector<std::vector<std::uint32_t>>> representations_;
};

/// A cluster of an input.
struct SourceCluster {
  const ClusterDescriptor& cluster;
  const std::vector<std::uint32_t>& columns;  ///< of the merged RNTuple, by physical column of the input
};

/// A column of the merged RNTuple in one cluster.
struct ClusterColumn {
  bool is_active = false;               ///< else another representation of the field has the elements
  const ColumnRange* stored = nullptr;  ///< none if the input lacks the column
  std::uint64_t num_zeros = 0;          ///< elements in front of those stored
  std::uint64_t num_elements = 0;
};

/// Returns what a cluster has of each column. Throws FormatError if it has more or fewer elements of a column
/// than it should.
std::vector<ClusterColumn> columns_of_cluster(const MergeSchema& schema, const SourceCluster& source);

/// Bytes that the elements of these columns take in memory.
std::uint64_t bytes_in_memory(const MergeSchema& schema, const std::vector<ClusterColumn>& columns);

}  // namespace skimline::io
