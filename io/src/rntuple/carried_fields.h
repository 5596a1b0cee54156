// SPDX-License-Identifier: BSD-3-Clause
// Fields that a skim keeps as they are stored, whether or not expressions can hold them.
#pragma once

#include "rntuple/field_columns.h"
#include "rntuple/output_schema.h"

#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// A column that is carried from the files of a source to a skim.
struct CarriedColumn {
  PageEncoding encoding;                               ///< in the skim
  std::vector<std::shared_ptr<const Stream>> streams;  ///< by file: how its elements are read
  std::vector<std::size_t> numbers;  ///< by file: the number its stream has there, once it is known
};

/// Returns those of the fields `counts`, cardinality fields, of whose collections `kept` keeps no item.
std::vector<std::uint32_t> counts_without_items(const RNTupleDescriptor& descriptor,
                                                const std::vector<std::uint32_t>& kept,
                                                const std::vector<std::uint32_t>& counts);

/// By field, whether it lies in a top-level field that has records which are not of the standard library, or
/// shows what does.
std::vector<bool> fields_in_records(const RNTupleDescriptor& descriptor);

/// A part of the tree of fields of a source. Fields, columns and aliases have the numbers they get in a skim
/// that begins with them.
class CarriedFields {
 public:
  /// Takes the fields `kept` of the first descriptor with all that is in them and all they are in, and finds
  /// them in the other descriptors. Records lose the members that are not kept, and then the name of their
  /// type. Throws SchemaError naming the file, of `paths`, whose fields differ, and FileError for fields that
  /// cannot be.
  CarriedFields(const std::vector<RNTupleDescriptor>& descriptors, const std::vector<std::string>& paths,
                const std::vector<std::uint32_t>& kept);

  void add_to(OutputSchema& schema) const;

  std::vector<CarriedColumn>& columns() { return columns_; }
  const std::vector<CarriedColumn>& columns() const { return columns_; }
  const std::vector<ElementLevel>& levels() const { return levels_; }
  const std::vector<OutputColumn>& output_columns() const { return output_columns_; }
  const std::vector<std::string>& extra_type_info() const { return extra_type_info_; }

 private:
  struct Field {
    FieldDescriptor descriptor;
    std::size_t first_column = 0;
    std::size_t num_columns = 0;
  };

  void add_aliases(const SharedList<AliasColumn>& aliases, const std::vector<std::uint32_t>& new_columns,
                   const std::vector<std::uint32_t>& new_ids);

  std::vector<Field> fields_;
  std::vector<AliasColumn> aliases_;
  std::vector<CarriedColumn> columns_;
  std::vector<ElementLevel> levels_;
  std::vector<OutputColumn> output_columns_;
  std::vector<std::string> extra_type_info_;
};

}  // namespace skimline::io
