// SPDX-License-Identifier: BSD-3-Clause
// The columns that the fields of a new RNTuple become, and how they are called.
#pragma once

#include "rntuple/output_schema.h"

#include "skimline/framework/type.h"
#include "skimline/io/compression.h"
#include "skimline/io/field_type.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {

/// A column as it is filled.
struct WritableColumn {
  std::string name;                               ///< path of the field
  ScalarType scalar = ScalarType::kUInt64;        ///< of the elements in memory
  std::optional<CompressionSetting> compression;  ///< chosen from its values unless given
};

class WritableColumns {
 public:
  /// Throws SchemaError for fields that cannot be written.
  WritableColumns(const std::vector<OutputField>& fields, std::optional<CompressionSetting> compression);

  const OutputSchema& schema() const { return schema_; }
  const WritableColumn& operator[](std::size_t column) const { return columns_[column]; }
  std::size_t size() const { return columns_.size(); }

  /// The column of values, of list sizes, or the first of the two of a string. Throws SchemaError with the
  /// nearest name.
  std::size_t values(std::string_view name) const { return find(values_, name, "values"); }
  std::size_t list(std::string_view name) const { return find(lists_, name, "lists"); }
  std::size_t strings(std::string_view name) const { return find(strings_, name, "strings"); }

 private:
  using Names = std::map<std::string, std::size_t, std::less<>>;
  // A field on its way into the schema.
  struct Place {
    std::uint32_t parent = 0;
    std::string name;       // of the field
    std::string list_name;  // what lists and values are called here
    std::string values_name;
    std::string description;
    std::optional<CompressionSetting> compression;
  };

  void add(const FieldType& type, const Place& place);
  void add_members(const FieldType& type, const Place& place, std::uint32_t parent);
  void add_field(const Place& place, FieldRole role, std::string type_name,
                 const std::vector<PageEncoding>& encodings, const std::vector<ScalarType>& scalars);
  static std::size_t find(const Names& names, std::string_view name, const char* what);

  OutputSchema schema_;
  std::vector<WritableColumn> columns_;
  Names values_, lists_, strings_;
};

}  // namespace skimline::io
