// SPDX-License-Identifier: BSD-3-Clause
// Configs of FastFrames: blocks of YAML, read into structs.
#pragma once

#include "config/translated/frame_config.h"

#include <string>

namespace skimline::skims {

/// Whether a file is called like one: its name ends with ".yml" or ".yaml".
bool is_called_yaml(const std::string& path);

/// Reads a file. Throws ConfigError with all mistakes and their places: what is no YAML, keys that FastFrames
/// does not know, values of other types, names of samples, regions and variables that there are none of.
FrameConfig read_frame_config(const std::string& path);

}  // namespace skimline::skims
