// SPDX-License-Identifier: BSD-3-Clause
// From the fields of an RNTuple to the columns that expressions can hold.
#pragma once

#include "skimline/framework/type.h"
#include "skimline/io/rntuple_descriptor.h"
#include "skimline/io/rntuple_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// Elements that are decoded together: the first column of a field in all its representations, and the type
/// they are decoded to.
struct Stream {
  std::vector<std::uint32_t> columns;  ///< physical column ids by representation
  ScalarType scalar = ScalarType::kUInt64;
  bool is_per_entry = true;  ///< one element per entry; else the elements of collections
  bool is_index = false;     ///< ends of collections
  std::string name;          ///< of the first column that uses it, for messages
};

/// How one column of the source is made from streams.
struct FieldColumn {
  std::string name;
  Type type;
  std::string field_type;
  std::string description;
  std::optional<std::size_t> index;   ///< stream of collection ends, of jagged columns and cardinalities
  std::optional<std::size_t> values;  ///< stream of values; none for cardinalities
};

struct FieldColumns {
  std::vector<FieldColumn> columns;
  std::vector<Stream> streams;
  std::vector<UnsupportedField> unsupported;
};

/// Finds all columns of a verified descriptor.
FieldColumns find_field_columns(const RNTupleDescriptor& descriptor);

}  // namespace skimline::io
