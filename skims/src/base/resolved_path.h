// SPDX-License-Identifier: BSD-3-Clause
// Paths in configs and lists, as seen from the folder of the file that has them.
#pragma once

#include <filesystem>
#include <string>

namespace skimline::skims {

/// Returns `path` as seen from `folder`; absolute paths stay as they are.
std::filesystem::path resolved(const std::filesystem::path& folder, const std::string& path);

}  // namespace skimline::skims
