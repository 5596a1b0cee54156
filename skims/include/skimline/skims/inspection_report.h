// SPDX-License-Identifier: BSD-3-Clause
// What a ROOT file holds: its RNTuples and TTrees with columns, clusters and sizes, and its other objects.
#pragma once

#include "skimline/io/collection.h"
#include "skimline/io/tree_relations.h"
#include "skimline/io/unsupported_field.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// One field of an RNTuple, as the file declares it.
struct FieldSummary {
  std::string name;                          ///< with the names of its parents, "Muon.pt"
  std::string type_name, description, role;  ///< "plain", "collection", "record", "variant" or "streamer"
  std::string in_expressions;                ///< what it is called there; empty for elements of lists
};

/// One physical column, summed over all clusters.
struct ColumnSummary {
  std::string field, encoding;
  int bits = 0;
  std::string compression;
  std::uint64_t num_pages = 0;
  std::uint64_t num_elements = 0;
  std::uint64_t bytes_unpacked = 0;  ///< encoded, before compression
  std::uint64_t bytes_stored = 0;    ///< without checksums; pages shared with an earlier column count there
};

/// One cluster of an RNTuple, summed over its columns. Sizes are in bytes, as in ColumnSummary.
struct ClusterSummary {
  std::uint64_t first_entry = 0;
  std::uint64_t num_entries = 0;
  std::uint64_t num_pages = 0;
  std::uint64_t bytes_unpacked = 0;
  std::uint64_t bytes_stored = 0;
};

/// One RNTuple.
struct NTupleInspection {
  std::string name;
  std::string description;
  std::string writer;
  std::string format_version;
  std::uint64_t num_entries = 0;
  std::uint64_t num_cluster_groups = 0;
  std::vector<FieldSummary> fields;  ///< parents before their members
  std::vector<ColumnSummary> columns;
  std::vector<ClusterSummary> clusters;
  std::vector<io::UnsupportedField> unsupported_fields;  ///< cannot be used in expressions
  std::vector<std::string> notes;                        ///< what is unusual
};

/// One column of a TTree; several columns of a branch share its baskets.
struct BranchSummary {
  std::string name, type_name, compression, description;
  std::uint64_t num_baskets = 0;
  std::uint64_t bytes_unpacked = 0;  ///< as the writer counted them, keys included
  std::uint64_t bytes_stored = 0;
};

/// One TTree.
struct TreeInspection {
  std::string name, title;
  std::uint64_t num_entries = 0, num_clusters = 0, num_branches = 0;
  std::vector<BranchSummary> columns;
  std::vector<io::Collection> collections;
  std::vector<io::UnsupportedField> unsupported;  ///< cannot be read
  std::vector<io::TreeFriend> friends;
  std::vector<io::TreeAlias> aliases;
  std::vector<std::string> notes;
};

/// A tree that a TChain or a list of entries names.
struct ListedTree {
  std::string file, tree;                ///< empty if the list does not say
  std::optional<std::uint64_t> entries;  ///< that it has, if the chain knows; or that are chosen
};

/// An object that is no RNTuple or TTree, or one that cannot be read.
struct ObjectSummary {
  std::string path, class_name, title;
  std::uint64_t bytes = 0;
  std::string problem;             ///< why it cannot be read although it holds events, or names trees
  std::vector<ListedTree> listed;  ///< of a TChain, TEntryList or TEventList
};

/// All that one ROOT file holds.
struct FileInspection {
  std::string path;
  std::uint64_t size = 0;
  std::vector<NTupleInspection> ntuples;
  std::vector<TreeInspection> trees;
  std::vector<ObjectSummary> objects;  ///< all others
};

/// Returns tables for people to read.
std::string to_text(const FileInspection& inspection);

/// Returns the same as one JSON object.
std::string to_json(const FileInspection& inspection);

}  // namespace skimline::skims
