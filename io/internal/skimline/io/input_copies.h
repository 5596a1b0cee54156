// SPDX-License-Identifier: BSD-3-Clause
// Which of several inputs are copies of each other.
#pragma once

#include "skimline/io/input_source.h"

#include <cstddef>
#include <span>
#include <vector>

namespace skimline::io {

/// Returns for each input the number of the first one whose entries it has, its own for most: both have the
/// same UUID, the same name of their RNTuple or TTree, as many entries, and equal bytes wherever their data
/// were compared. Of files without a distinctive UUID all data are compared. Only files that agree in all
/// else are read again. Throws FileError.
std::vector<std::size_t> find_copies(std::span<const InputFacts> inputs);

}  // namespace skimline::io
