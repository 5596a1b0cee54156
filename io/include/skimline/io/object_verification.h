// SPDX-License-Identifier: BSD-3-Clause
// Reads every object of a file that is no RNTuple or TTree, and compares what has a checksum with it.
#pragma once

#include "skimline/io/root_file.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::io {

struct ObjectVerification {
  std::uint64_t num_histograms = 0;
  std::uint64_t num_others = 0;    ///< texts and whatever else is no RNTuple or TTree
  std::uint64_t num_bytes = 0;     ///< stored bytes of both
  std::uint64_t num_unproven = 0;  ///< of both, those without a checksum: only that they can be read is known
  std::uint64_t num_unread =
      0;  ///< of the unproven, histograms in a version of their class that is not known
  std::vector<std::string> faults;  ///< what is wrong, each with its place; in the order of the file
};

/// Compares the objects of our files with their checksums, those of others only for whether they can be
/// decompressed and, if they are histograms, parsed. Of a file of ours, all its other records but the data of
/// RNTuples and TTrees are compared too: faults name them. Uses the threads of the caller's arena. Throws
/// FileError if the storage fails, Interrupted soon after `stop` is set.
ObjectVerification verify_objects(const RootFile& file, const std::atomic<bool>* stop = nullptr);

}  // namespace skimline::io
