// SPDX-License-Identifier: BSD-3-Clause
// What comes of reading all that a file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::io {

/// A page that is not what was written.
struct PageFault {
  std::string column;  ///< path of its field
  std::size_t cluster = 0;
  std::uint64_t first_entry = 0;  ///< of the cluster
  std::uint64_t num_entries = 0;  ///< of the cluster
  std::uint64_t offset = 0;       ///< of the page in the file
  std::string problem;
};

/// Of one RNTuple.
struct NTupleVerification {
  std::uint64_t num_pages = 0;  ///< pages stored, each counted once
  std::uint64_t num_bytes = 0;  ///< their bytes
  /// Pages known to be decompressible, no more: neither they nor their compression have a checksum.
  std::uint64_t num_unverified = 0;
  std::uint64_t bytes_unverified = 0;    ///< their bytes
  std::uint64_t num_repeated_pages = 0;  ///< that several clusters claim, which no sensible writer does
  std::string checksum_file;             ///< beside the file, that was used; empty if there is none
  std::vector<PageFault> faults;         ///< in the order of the columns and clusters
};

/// Of one TTree.
struct TreeVerification {
  std::uint64_t num_baskets = 0;  ///< that were read
  std::uint64_t num_bytes = 0;    ///< their bytes
  /// Those of which only is known that they can be decoded, as their compression has no checksum.
  std::uint64_t num_unverified = 0;
  std::uint64_t bytes_unverified = 0;
  std::string checksum_file;        ///< beside the file, that was used; empty if there is none
  std::size_t num_unread = 0;       ///< branches that cannot be read, about which nothing is known
  std::vector<std::string> faults;  ///< what is wrong with baskets, each with its place; sorted by branch
};

/// Of histograms and other objects.
struct ObjectVerification {
  std::uint64_t num_histograms = 0;
  std::uint64_t num_others = 0;    ///< texts and whatever else is no RNTuple or TTree
  std::uint64_t num_bytes = 0;     ///< stored bytes of both
  std::uint64_t num_unproven = 0;  ///< of both, those without a checksum: only that they can be read is known
  std::uint64_t num_unread =
      0;  ///< of the unproven, histograms in a version of their class that is not known
  std::vector<std::string> faults;  ///< what is wrong, each with its place; in the order of the file
};

}  // namespace skimline::io
