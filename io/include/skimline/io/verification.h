// SPDX-License-Identifier: BSD-3-Clause
// What comes of reading all that a file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::io {

/// A page or basket that is not what was written.
struct VerificationFault {
  std::string problem;  ///< of a basket with its place
  std::string column;   ///< of a page, the path of its field; empty for a basket, with all below
  std::size_t cluster = 0;
  std::uint64_t first_entry = 0;  ///< of the cluster
  std::uint64_t num_entries = 0;  ///< of the cluster
  std::uint64_t offset = 0;       ///< of the page in the file
};

/// Of the events of one RNTuple or TTree.
struct EventsVerification {
  std::uint64_t num_parts = 0;  ///< pages or baskets that were read, each counted once
  std::uint64_t num_bytes = 0;  ///< their bytes
  /// Those known to be decodable, no more: neither they nor their compression have a checksum.
  std::uint64_t num_unverified = 0;
  std::uint64_t bytes_unverified = 0;     ///< their bytes
  std::uint64_t num_repeated = 0;         ///< pages that several clusters claim, as no sensible writer does
  std::size_t num_unread = 0;             ///< branches that cannot be read, about which nothing is known
  std::string checksum_file;              ///< beside the file, that was used; empty if there is none
  std::vector<VerificationFault> faults;  ///< pages by column and cluster, baskets by branch
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
