// SPDX-License-Identifier: BSD-3-Clause
// Where the columns of a cluster of an input can be cut between entries.
#pragma once

#include "rntuple/fetched_cluster.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace skimline::io {

class ClusterCuts {
 public:
  /// Reads the columns that say how many elements entries have, and releases the file. The schema must
  /// outlive this. Throws FileError if it is damaged, or if columns do not have the elements that others say.
  ClusterCuts(const MergeSchema& schema, const ClusterToJoin& cluster);

  /// Returns what entries [begin, end) have of all columns.
  EntriesOfCluster entries(std::uint64_t begin, std::uint64_t end) const;

  /// Returns the bytes that the columns of the entries before this one take in memory.
  std::uint64_t bytes_before(std::uint64_t entry) const;

 private:
  // What decides how many items a field has.
  struct Items {
    std::size_t column = 0;             // an index or switch column
    std::vector<std::uint64_t> before;  // each of its elements, and the last one
  };

  static Items items_of_ends(std::size_t column, const std::vector<std::byte>& elements);
  static std::vector<Items> items_of_alternatives(std::size_t column, std::size_t num_alternatives,
                                                  const std::vector<std::byte>& elements);
  void read(const ClusterToJoin& cluster);
  void check(const ClusterToJoin& cluster) const;
  std::vector<std::uint64_t> elements_before(std::uint64_t entry) const;
  std::uint64_t element_before(std::size_t column, std::uint64_t entry) const;

  const MergeSchema& schema_;
  std::vector<bool> is_active_;                         // by column
  std::map<std::uint32_t, Items> ends_, alternatives_;  // by field
};

}  // namespace skimline::io
