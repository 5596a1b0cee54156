// SPDX-License-Identifier: BSD-3-Clause
// A TTree being written: the clusters committed so far, and in the end the TTree object.
#pragma once

#include "ttree/basket_record.h"
#include "ttree/tree_serialization.h"

#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// A complete cluster.
struct SealedTreeCluster {
  std::uint64_t num_entries = 0;
  std::uint64_t bytes_in_memory = 0;
  std::vector<std::vector<BasketRecord>> baskets;  ///< by branch

  /// As they are stored.
  std::uint64_t num_bytes() const;
};

/// The baskets of a cluster and their place in the file.
struct BasketJob {
  std::uint64_t offset = 0;
  std::vector<BasketRecord> baskets;
};

struct TreeOutputOptions {
  std::string path;   ///< name with the directories the tree lies in
  std::string title;  ///< empty for the name
  CompressionSetting compression;
};

/// Calls must not overlap, but for write().
class TreeOutput {
 public:
  /// File and layout must outlive the output.
  TreeOutput(RootFileWriter& file, const TreeLayout& layout, TreeOutputOptions options);

  const std::string& tree_name() const { return tree_.name; }

  /// Notes how many items lists have at most, by group.
  void note_counts(std::span<const std::uint64_t> largest);
  /// Notes which fallbacks are needed, by group, if not by clusters that were committed.
  void note_departures(const std::vector<bool>& is_departed);

  /// Assigns entry numbers and offsets to a cluster. Baskets of one branch follow each other. A fallback
  /// without baskets has the values of the counts that are likely.
  BasketJob commit(SealedTreeCluster&& cluster);

  /// Writes the bytes of a committed cluster. Thread-safe.
  void write(const BasketJob& job);

  /// Writes what branches still lack, and the TTree object. Throws Error if it is too large for a file.
  void finish();

  /// A hash of all baskets.
  std::uint64_t content_hash() const { return hash_; }
  std::uint64_t num_entries() const { return tree_.num_entries; }
  std::uint64_t num_clusters() const { return tree_.cluster_entries.size(); }
  std::uint64_t num_baskets() const { return num_baskets_; }

 private:
  // A basket of likely counts that the fallback has for now.
  struct SharedBasket {
    std::size_t number = 0;  // in the branch of the fallback
    std::uint64_t num_entries = 0;
  };

  void share_baskets(std::size_t group, const std::vector<BasketRecord>& shared);
  void copy_shared_baskets(std::size_t group);
  WrittenTree settled_tree(TreeLayout& layout) const;

  RootFileWriter& file_;
  const TreeLayout& layout_;
  std::string path_;
  WrittenTree tree_;
  std::vector<bool> is_departed_;                  // by group
  std::vector<std::vector<SharedBasket>> shared_;  // by group
  std::uint64_t num_baskets_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace skimline::io
