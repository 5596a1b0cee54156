// SPDX-License-Identifier: BSD-3-Clause
// Which trees TRExFitter reads for a sample.
#pragma once

#include "config/translated/trexfitter_blocks.h"

#include <string>
#include <vector>

namespace skimline::skims {

struct NtuplePath {
  std::string file, tree;
};

/// All combinations of paths, files and trees, each with its suffixes. Those of the systematic come before
/// those of the sample, and these before those of the job; suffixes add up. `direction` is "up" or "down",
/// and the systematic nullptr for the nominal trees. Throws ConfigError for more than there can be.
std::vector<NtuplePath> ntuple_paths(const FitBlock& job, const FitBlock& sample, const FitBlock* systematic,
                                     const std::string& direction);

}  // namespace skimline::skims
