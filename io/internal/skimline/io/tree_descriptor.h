// SPDX-License-Identifier: BSD-3-Clause
// What the metadata of a TTree say: branches, leaves, baskets, clusters, friends.
#pragma once

#include "skimline/io/class_layouts.h"
#include "skimline/io/shared_list.h"
#include "skimline/io/tree_relations.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// What a leaf is, in all files that have the same tree.
struct TreeLeaf {
  std::string name;
  std::string title;       ///< "Jet_pt[nJet]", "matrix[2][3]", "da[4]/d[0,10,16]"
  std::string class_name;  ///< "TLeafF", "TLeafElement"
  std::uint32_t branch = 0;
  std::vector<std::uint64_t> dimensions;  ///< the fixed ones; their product is `length`
  std::uint64_t length = 1;               ///< values for each element of the counter, or for each entry
  bool is_unsigned = false;
  std::optional<std::uint32_t> counter;  ///< the leaf whose value is the number of elements

  bool operator==(const TreeLeaf&) const = default;
};

/// What one file says of the values of a leaf.
struct LeafData {
  std::int64_t minimum = 0, maximum = 0;  ///< of integers and texts' sizes, as far as the writer kept them
  std::int64_t text_room = 0;             ///< of TLeafC: the size of the longest text, with its end
  std::size_t place = 0;                  ///< in TreeDescriptor::object
};

/// Consecutive entries of one branch, stored together.
struct TreeBasket {
  std::uint64_t first_entry = 0;
  std::uint64_t num_entries = 0;
  /// Of the record, key included: in the file, or in TreeDescriptor::object if it is embedded.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool is_embedded = false;

  std::uint64_t end_entry() const { return first_entry + num_entries; }
};

/// What TBranchElement calls its types.
enum class ElementKind {
  kCustom = -1,       ///< an object with its own way of being written
  kObject = 0,        ///< or a member of one
  kClonesMaster = 3,  ///< of a TClonesArray
  kMaster = 4,        ///< of another collection
  kClonesMember = 31,
  kMember = 41,
};

/// What a branch is, in all files that have the same tree.
struct TreeBranch {
  std::string name;  ///< as stored: "Jet_pt", "ev.", "parts.values[3]"
  std::string path;  ///< with those of its parents, dots at ends and dimensions removed: "ev.n"
  std::string title;
  std::string class_name;  ///< "TBranch", "TBranchElement"
  std::optional<std::uint32_t> parent;
  std::vector<std::uint32_t> leaves;

  // Of a TBranchElement.
  std::string object_class;  ///< "vector<float>", "Event": whose member it is, or which it holds
  std::string parent_class;
  std::string clones_class;
  std::uint32_t checksum = 0;
  int class_version = 0;
  int id = -1;   ///< number of the member, -1 or -2
  int type = 0;  ///< fType, an ElementKind or one that has no values of its own
  int streamer_type = -1;
  std::optional<std::uint32_t> count_branch;  ///< the master of a split collection

  bool has_offsets = false;   ///< as the branch says: of baskets with entries of several sizes
  std::uint8_t features = 0;  ///< bits of ROOT::EIOFeatures

  std::string problem;  ///< why nothing can be read of it; empty otherwise

  /// Whether its entries are the numbers of elements that branches below it hold.
  bool is_master() const {
    const auto kind = static_cast<ElementKind>(type);
    return kind == ElementKind::kMaster || kind == ElementKind::kClonesMaster;
  }

  bool operator==(const TreeBranch&) const = default;
};

/// What one file has of a branch.
struct BranchData {
  std::uint64_t num_entries = 0;
  int compression = 0;               ///< 100 * algorithm + level
  std::uint64_t bytes_unpacked = 0;  ///< what the writer counted, keys included
  std::uint64_t bytes_stored = 0;
  std::int64_t maximum = 0;  ///< elements of an entry of a collection
  /// In entry order, from entry 0 on without gaps, up to num_entries. None where only children have data.
  std::vector<TreeBasket> baskets;
  std::size_t place = 0;  ///< in TreeDescriptor::object
};

/// Entries by the values of two columns, sorted by them.
struct TreeIndex {
  std::string major, minor;
  std::vector<std::int64_t> major_values, minor_values;
  std::vector<std::int64_t> entries;
};

struct TreeDescriptor {
  std::string path;  ///< in the file, "dir/Events"
  std::string name;
  std::string title;
  std::uint64_t num_entries = 0;
  double weight = 1;                ///< of all entries, by TTree::SetWeight
  SharedList<TreeBranch> branches;  ///< parents before their children
  SharedList<TreeLeaf> leaves;
  std::vector<BranchData> branch_data;  ///< by branch
  std::vector<LeafData> leaf_data;      ///< by leaf
  /// Where the writer began clusters: ascending, below num_entries, beginning with 0. Baskets need not end
  /// there.
  std::vector<std::uint64_t> cluster_begins;
  std::vector<TreeFriend> friends;
  std::vector<TreeAlias> aliases;
  std::optional<TreeIndex> index;
  std::vector<std::string> other_parts;  ///< what else it has that is not read: "user objects (TList)"
  std::shared_ptr<const ClassLayouts> classes = std::make_shared<const ClassLayouts>();
  std::vector<std::byte> object;    ///< the TTree itself, decompressed; embedded baskets lie in it
  bool is_object_verified = false;  ///< whether its compression has a checksum, which was right
};

}  // namespace skimline::io
