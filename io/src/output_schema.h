// SPDX-License-Identifier: BSD-3-Clause
// The fields and columns that a schema becomes when it is written.
#pragma once

#include "cluster_builder.h"

#include "skimline/framework/schema.h"
#include "skimline/io/rntuple_descriptor.h"

#include <set>
#include <string>
#include <vector>

namespace skimline::io {

/// Returns whether a field or RNTuple may be called so: not empty, no control characters, blanks, dots or
/// slashes.
bool is_legal_name(const std::string& name);

/// Flat columns become fundamental fields, jagged ones std::vector fields; dots become underscores.
class OutputSchema {
 public:
  /// Throws SchemaError for names that no field may have, or that two columns would have.
  OutputSchema(const Schema& schema, bool is_compressed);

  const std::vector<FieldDescriptor>& fields() const { return fields_; }
  const std::vector<ColumnDescriptor>& column_descriptors() const { return column_descriptors_; }
  /// By physical column.
  const std::vector<PhysicalColumn>& columns() const { return columns_; }

 private:
  void add(const ColumnInfo& column);
  void add_field(std::uint32_t parent, FieldRole role, std::string name, std::string type,
                 std::string description);
  void add_column(std::uint32_t field, const PageEncoding& encoding, std::size_t element_size);

  bool is_compressed_;
  std::vector<FieldDescriptor> fields_;
  std::vector<ColumnDescriptor> column_descriptors_;
  std::vector<PhysicalColumn> columns_;
  std::set<std::string> names_;
};

}  // namespace skimline::io
