// SPDX-License-Identifier: BSD-3-Clause
// Paths of an included config as they are seen from the including one.
#pragma once

#include "config/json/located_json.h"

#include <filesystem>
#include <vector>

namespace skimline::skims {

/// Makes all paths to files in a config, each of which is relative to the folder of the part that it is
/// written in, relative to the folder of the config. `folders` has those of the parts, as seen from there.
void move_paths(JsonValue& root, const std::vector<std::filesystem::path>& folders, const ConfigText& source);

}  // namespace skimline::skims
