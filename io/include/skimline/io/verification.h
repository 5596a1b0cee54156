// SPDX-License-Identifier: BSD-3-Clause
// Reads every stored byte of an RNTuple and compares it with its checksum.
#pragma once

#include "skimline/io/root_file.h"

#include <atomic>
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

struct Verification {
  std::uint64_t num_pages = 0;  ///< pages stored, each counted once
  std::uint64_t num_bytes = 0;  ///< their bytes
  /// Pages of which only is known that they can be decompressed: neither they nor their compression have a
  /// checksum.
  std::uint64_t num_unverified = 0;
  std::uint64_t bytes_unverified = 0;    ///< their bytes
  std::uint64_t num_repeated_pages = 0;  ///< that several clusters claim, which no sensible writer does
  std::string checksum_file;             ///< beside the file, that was used; empty if there is none
  std::vector<PageFault> faults;         ///< in the order of the columns and clusters
};

/// Verifies all pages of the RNTuple called `name`, in the threads of the caller's arena. Metadata are
/// verified first: FileError if they are damaged. Pages without a checksum are compared with those of a file
/// of checksums, if there is one beside the file or in `checksum_folder`. Throws Interrupted soon after
/// `stop` is set.
Verification verify_ntuple(const RootFile& file, const std::string& name,
                           const std::atomic<bool>* stop = nullptr, const std::string& checksum_folder = {});

}  // namespace skimline::io
