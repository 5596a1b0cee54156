// SPDX-License-Identifier: BSD-3-Clause
// How columns in memory become fields of a new RNTuple, and their values elements of its columns.
#pragma once

#include "rntuple/gathered_entries.h"
#include "rntuple/output_schema.h"

#include "skimline/framework/column.h"
#include "skimline/framework/schema.h"
#include "skimline/io/input_source.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Columns of a collection become members of an untyped collection called like it, its count the cardinality;
/// projected fields have the names that the columns had. All other columns become fields of their own.
class ComputedColumns {
 public:
  /// Adds the fields to `schema`, behind those that are there. Throws SchemaError as OutputSchema::add().
  ComputedColumns(const Schema& columns, const std::vector<Collection>& collections, bool is_compressed,
                  OutputSchema& schema);

  /// Appends the values of the columns, in their order. Throws SchemaError if members of a collection, or its
  /// count, do not have the sizes of its first member.
  void append(std::span<const ColumnView> columns, GatheredEntries& entries) const;

 private:
  struct Column {
    std::string name;
    bool is_count = false;  // of `lists`: nothing is stored
    // The levels of the elements of its lists, from the outermost on; of the characters of strings.
    std::array<std::size_t, kMaxDepth> lists{};
    std::optional<std::size_t> with;  // another column that has stored the sizes of these lists
    std::size_t characters = 0;
    std::size_t values = 0;  // the physical column of values or characters
  };
  void add_collection(const Schema& columns, const Collection& collection, OutputSchema& schema);
  void add_projections(const Schema& columns, const Collection& collection, OutputSchema& schema);
  void find_places(std::size_t first_column, const OutputSchema& schema, Column& column) const;
  void check_sizes(const Column& column, const ColumnView& view, const ColumnView& first) const;

  bool is_compressed_;
  std::vector<Column> columns_;
};

}  // namespace skimline::io
