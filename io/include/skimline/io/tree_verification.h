// SPDX-License-Identifier: BSD-3-Clause
// Reads every basket of a TTree.
#pragma once

#include "skimline/io/input_options.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::io {

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

/// Reads, decompresses and decodes all baskets, in the threads of the caller's arena. Baskets have no
/// checksums but those of their compression (zlib, lzma, lz4), so that not all damage is found, unless a file
/// of checksums lies beside the file or in `checksum_folder`. Throws FileError if the metadata are damaged,
/// Interrupted soon after `stop` is set.
TreeVerification verify_tree(const InputLocation& location, const std::atomic<bool>* stop = nullptr,
                             const std::string& checksum_folder = {});

}  // namespace skimline::io
