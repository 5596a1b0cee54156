// SPDX-License-Identifier: BSD-3-Clause
// From the fields of an RNTuple to the columns that expressions can hold.
#pragma once

#include "skimline/framework/type.h"
#include "skimline/io/input_source.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// Elements that are decoded together: the first column of a field in all its representations, and the type
/// they are decoded to.
struct Stream {
  std::vector<std::uint32_t> columns;  ///< physical column ids by representation
  ScalarType scalar = ScalarType::kUInt64;
  bool is_raw = false;            ///< not decoded to `scalar` but to raw elements
  std::size_t element_size = 8;   ///< in memory
  std::uint64_t per_entry = 1;    ///< elements of each entry; 0 if collections or variants decide
  bool is_index = false;          ///< ends of collections
  std::uint32_t num_keepers = 0;  ///< columns of outputs that may take pages as they are stored
  std::string name;               ///< of the first column that uses it, for messages

  /// Whether pages keep their stored bytes when they are decoded.
  bool keeps_stored() const { return num_keepers > 0; }

  friend bool operator==(const Stream&, const Stream&) = default;
};

/// What makes the lists of one depth: collection ends, or arrays of a fixed size.
struct ListLevel {
  std::optional<std::size_t> index;  ///< stream of collection ends
  std::uint64_t array_size = 1;      ///< without `index`
  std::string field;                 ///< with `index`, which is the list; empty if it has no name of its own
};

/// How one column of the source is made from streams.
struct FieldColumn {
  std::string name;
  Type type;
  std::string field_type;
  std::string description;
  std::uint32_t field = 0;            ///< the innermost that the column shows
  std::vector<ListLevel> levels;      ///< from the outside in, as many as the depth of the type
  std::optional<std::size_t> ends;    ///< of cardinalities and strings: stream of their ends
  std::optional<std::size_t> values;  ///< stream of values or characters; none for cardinalities

  bool is_count() const { return !values; }
  /// The streams it is made from, from the outside in.
  std::vector<std::size_t> streams() const;
};

struct FieldColumns {
  std::vector<FieldColumn> columns;
  std::vector<Stream> streams;
  std::vector<UnsupportedField> unsupported;
  std::unordered_multimap<std::uint32_t, std::size_t> stream_numbers;  ///< by first column of the stream
};

/// Returns the number of a stream that reads the same as `stream`, which is added if there is none.
std::size_t stream_number(FieldColumns& fields, Stream stream);

/// The scalar type of a fundamental field; nothing for other types.
std::optional<ScalarType> scalar_of(std::string_view type_name);

/// Finds all columns of a verified descriptor.
FieldColumns find_field_columns(const RNTupleDescriptor& descriptor);

}  // namespace skimline::io
