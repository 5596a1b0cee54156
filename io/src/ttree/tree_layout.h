// SPDX-License-Identifier: BSD-3-Clause
// The branches of a TTree to be written, and how columns become them.
#pragma once

#include "skimline/framework/schema.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::io {

enum class BranchKind {
  kNumbers,  ///< one per entry
  kLists,    ///< as many per entry as another branch says
  kStrings,  ///< std::string
  kVectors   ///< std::vector of strings or of vectors, which may hold vectors
};

/// How ROOT calls a type of numbers.
struct LeafType {
  const char* leaf_class;
  char code;              ///< in lists of leaves, "pt/F"
  const char* type_name;  ///< as the item of a std::vector
};

const LeafType& leaf_type(ScalarType scalar);

struct OutputBranch {
  std::string name;
  std::string title;
  BranchKind kind = BranchKind::kNumbers;
  ScalarType scalar = ScalarType::kInt32;
  int depth = 0;                      ///< of lists
  std::optional<std::size_t> column;  ///< none for counts that no column holds
  std::optional<std::size_t> group;   ///< of lists and of their counts
  bool is_count = false;
  bool is_fallback = false;  ///< counts that are needed only if those that are likely turn out wrong

  bool has_offsets() const { return kind != BranchKind::kNumbers; }
  bool is_object() const { return kind == BranchKind::kStrings || kind == BranchKind::kVectors; }
  /// Of one number, as it is stored.
  std::size_t item_size() const { return size_of(scalar); }
};

/// Lists of equal sizes.
struct ListGroup {
  std::size_t count_branch = 0;
  std::vector<std::size_t> columns;  ///< of the schema; at least one
  std::size_t item_bytes = 0;        ///< of one item of all lists
  /// A branch whose values seem to be the sizes. While they are, the fallback has the same baskets.
  std::optional<std::size_t> likely_count_branch;
};

struct TreeLayout {
  std::vector<OutputBranch> branches;  ///< counts before the lists they count
  std::vector<ListGroup> groups;
};

/// Returns why no branch can hold a column of this type, or nothing.
std::string problem_in_branch(Type type);

/// Throws SchemaError for columns that no tree can hold, names that no branch may have or that two would
/// have. `computed` are columns that do not count those of the input, nor are counted by them.
TreeLayout make_tree_layout(const Schema& schema, const std::vector<Collection>& collections,
                            const std::set<std::string>& computed = {});

/// The layout without fallbacks that were not needed. `is_departed` says by group whether its lists have
/// other sizes than was likely; `kept` gets the numbers of the branches that stay.
TreeLayout settled(const TreeLayout& layout, const std::vector<bool>& is_departed,
                   std::vector<std::size_t>& kept);

}  // namespace skimline::io
