// SPDX-License-Identifier: BSD-3-Clause
// From the patterns of a config to files that exist.
#pragma once

#include "skimline/skims/config.h"

#include <filesystem>
#include <vector>

namespace skimline::skims {

/// Returns `path` as seen from `folder`; absolute paths stay as they are.
std::filesystem::path resolved(const std::filesystem::path& folder, const std::string& path);

/// Fills sample.inputs with the files that sample.files match, relative to `folder`; matches of one pattern
/// are sorted by name. A pattern without a match and a file that is met twice are errors.
void find_inputs(const std::filesystem::path& folder, Sample& sample, Diagnostics& diagnostics);

}  // namespace skimline::skims
