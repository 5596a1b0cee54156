// SPDX-License-Identifier: BSD-3-Clause
// The file of the program or module that runs.
#pragma once

#include <filesystem>

namespace skimline {

/// The file of the program or Python module that this code is part of, without links; empty where that is not
/// known. A program that a loader was called with is that program, not the loader.
std::filesystem::path own_file();

}  // namespace skimline
