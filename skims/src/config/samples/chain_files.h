// SPDX-License-Identifier: BSD-3-Clause
// Chains of ROOT as lists of inputs.
#pragma once

#include "skimline/io/file_chain.h"
#include "skimline/io/input_options.h"
#include "skimline/io/opened_files.h"

#include <memory>
#include <optional>
#include <vector>

namespace skimline::skims {

/// Returns the TChain that a local file has in place of events, with its files as this process opens them:
/// what ROOT expands in a path is expanded, and relative paths are those of the folder in which the process
/// runs, as in ROOT. Without a name it is the only one of the file, or "Events", if no RNTuple or TTree is
/// there. Nothing for any other file, one that cannot be read included. Throws FileError for a damaged chain
/// and if several could be meant.
std::optional<io::FileChain> find_chain(const io::InputLocation& location, io::OpenedFiles& opened);

/// Opens those files of each sample at once in which find_chain() looks for a chain.
void open_possible_chains(const std::vector<std::vector<io::InputLocation>>& samples,
                          const std::shared_ptr<io::OpenedFiles>& opened);

}  // namespace skimline::skims
