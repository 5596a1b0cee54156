// SPDX-License-Identifier: BSD-3-Clause
// What is whole of the RNTuples of a file that was never closed, or is cut or damaged.
#pragma once

#include "merging/cluster_jobs.h"
#include "recovery/found_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// An RNTuple up to the first cluster that is not whole.
struct RecoveredNTuple {
  std::string path;
  std::shared_ptr<NTupleInput> input;
  std::vector<std::string> losses;  ///< a sentence for each
};

/// What can be used, and what cannot.
struct RecoveredNTuples {
  std::vector<RecoveredNTuple> ntuples;
  std::vector<std::string> losses;  ///< of those of which nothing can be used, each begins with the name
};

/// Those with an anchor, and those with a header that an anchor may never have been written for: of these the
/// clusters of which a page list was written. Every page is verified. Throws FileError if the storage fails.
RecoveredNTuples recover_ntuples(const FoundFile& found, const StopFlag& stop);

}  // namespace skimline::io
