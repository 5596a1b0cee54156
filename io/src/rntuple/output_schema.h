// SPDX-License-Identifier: BSD-3-Clause
// The fields and columns of an RNTuple to be written, and how the elements of its columns hang together.
#pragma once

#include "skimline/framework/schema.h"
#include "skimline/io/compression.h"
#include "skimline/io/field_name.h"
#include "skimline/io/page_encoding.h"
#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::io {

/// Pages begin small and double, so that columns with little data take little memory.
inline constexpr std::size_t kFirstPageBytes = 16 * 1024;

/// What decides how many elements a level has for each element of the level outside it.
enum class LevelKind {
  kEntries,      ///< the outermost level: one element per entry
  kCollection,   ///< the ends in an index column
  kArray,        ///< a fixed number
  kAlternative,  ///< one where the tag in a switch column is that of the alternative, else none
};

/// Columns of one level have equally many elements. A level comes after the one outside it.
struct ElementLevel {
  LevelKind kind = LevelKind::kEntries;
  std::size_t outer = 0;
  std::size_t column = 0;        ///< of kCollection and kAlternative: the index or switch column
  std::uint64_t repetition = 1;  ///< of kArray
  std::uint32_t tag = 0;         ///< of kAlternative
};

enum class ColumnKind { kValues, kEnds, kSwitch };

/// How one physical column is written. Its elements in memory are raw elements of its encoding.
struct OutputColumn {
  PageEncoding encoding;
  ColumnKind kind = ColumnKind::kValues;
  std::size_t level = 0;         ///< of its elements
  std::size_t inner_level = 0;   ///< of kEnds: the level whose elements it counts
  std::size_t element_size = 0;  ///< in memory
};

/// Whether the elements of a column are the ends of collections.
bool is_index_type(ColumnType type);

/// Fields get their ids in the order in which they are added, columns their numbers.
class OutputSchema {
 public:
  OutputSchema();

  /// Adds a column of values: flat ones become fundamental or std::string fields, jagged ones std::vector
  /// fields of these, doubly jagged ones std::vector fields of std::vectors; dots become underscores. Throws
  /// SchemaError for Lorentz vectors, and for names that no field may have or that two fields would have.
  /// With `parent`, the id of a record that is there already, the field is a member of it.
  void add(const ColumnInfo& column, bool is_compressed, std::optional<std::uint32_t> parent = {});

  /// Adds a projected field with the name and type of a jagged column, which is stored as the member with the
  /// id `member` of the items of the collection `list`.
  void add_projection(const ColumnInfo& column, std::uint32_t list, std::uint32_t member);

  /// Adds a projected field with the sizes of the collection `list`.
  void add_cardinality(const ColumnInfo& column, std::uint32_t list);

  /// Adds a field whose parent, by its new id, is there already (its own id if it is top-level), with its
  /// columns in one representation. Throws SchemaError like add().
  void add_field(FieldDescriptor field, const std::vector<PageEncoding>& columns);

  /// Adds another name for a column.
  void add_alias(AliasColumn alias) { aliases_.push_back(alias); }

  const std::vector<FieldDescriptor>& fields() const { return fields_; }
  const std::vector<ColumnDescriptor>& column_descriptors() const { return column_descriptors_; }
  const std::vector<AliasColumn>& aliases() const { return aliases_; }
  /// By physical column.
  const std::vector<OutputColumn>& columns() const { return columns_; }
  const std::vector<ElementLevel>& levels() const { return levels_; }
  std::uint32_t next_field() const { return static_cast<std::uint32_t>(fields_.size()); }

 private:
  void add_projected(FieldDescriptor field, std::uint32_t source);
  std::size_t level_of(const FieldDescriptor& field);
  std::size_t add_level(ElementLevel level);
  std::size_t add_column(std::uint32_t field, const PageEncoding& encoding, std::size_t level);

  std::vector<FieldDescriptor> fields_;
  std::vector<std::size_t> inner_levels_;    // by field: of its children
  std::vector<std::uint32_t> num_children_;  // by field
  std::vector<ColumnDescriptor> column_descriptors_;
  std::vector<AliasColumn> aliases_;
  std::vector<OutputColumn> columns_;
  std::vector<ElementLevel> levels_;
  std::set<std::string> names_;  // of top-level fields
};

}  // namespace skimline::io
