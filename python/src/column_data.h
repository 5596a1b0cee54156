// SPDX-License-Identifier: BSD-3-Clause
// Columns as Python hands them over: flat buffers of values and offsets, for any nesting of lists and
// records.
#pragma once

#include "skimline/io/field_type.h"
#include "skimline/io/fill_context.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::python {

/// A field, and what a fill context calls its columns.
struct FieldNode {
  io::FieldType::Kind kind = io::FieldType::Kind::kScalar;
  ScalarType scalar = ScalarType::kDouble;
  std::string values_name;       ///< of the values in it, and of the field in messages
  std::string list_name;         ///< of the sizes of its lists
  std::vector<FieldNode> parts;  ///< the item of a list, the members of a record
};

/// The nodes of the fields of an RNTuple.
std::vector<FieldNode> nodes_of(const std::vector<io::OutputField>& fields);

/// Elements of a field. The memory belongs to somebody else, who keeps it as long as this is used.
struct ColumnData {
  const std::byte* values = nullptr;  ///< of scalars, or the characters of all strings
  std::uint64_t num_values = 0;       ///< how many; of records the number of them
  const std::int64_t* offsets =
      nullptr;  ///< of lists and strings: where each begins, and where the last ends
  std::uint64_t num_offsets = 0;
  std::vector<ColumnData> parts;  ///< as those of the node

  /// The number of scalars, strings, lists or records.
  std::uint64_t size() const { return num_offsets > 0 ? num_offsets - 1 : num_values; }
};

/// Some elements, one after the other.
struct ElementRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
};

/// Throws SchemaError if the column has not `size` elements, or if offsets do not lead to values that are
/// there.
void check_data(const FieldNode& node, const ColumnData& data, std::uint64_t size);

/// Bytes that the elements take in the memory of a fill context.
std::uint64_t bytes_of(const FieldNode& node, const ColumnData& data, ElementRange range);

/// Gives the elements to a fill context, without committing entries.
void append(io::FillContext& context, const FieldNode& node, const ColumnData& data, ElementRange range);

/// A copy of elements, to which others can be added.
struct ColumnCopy {
  std::vector<std::byte> values;
  std::vector<std::int64_t> offsets;
  std::vector<ColumnCopy> parts;
  std::uint64_t num_values = 0;

  /// Adds elements of a field, always the same one.
  void add(const FieldNode& node, const ColumnData& data, ElementRange range);

  /// The elements, until others are added.
  ColumnData view() const;
};

}  // namespace skimline::python
