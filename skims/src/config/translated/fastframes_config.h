// SPDX-License-Identifier: BSD-3-Clause
// Configs of FastFrames as configs that fill the same histograms.
#pragma once

#include "config/translated/config_writing.h"
#include "config/translated/frame_config.h"

#include <filesystem>
#include <string>

namespace skimline::skims {

/// Makes a config, for the file `config_path`, with the samples, regions, histograms, systematics and
/// n-tuples of a config of FastFrames, whose files of metadata are read. Paths are relative to the current
/// folder. Throws ConfigError if metadata of a sample are missing, or two things would be called alike.
TranslatedConfig config_of_frames(FrameConfig frames, const std::string& origin,
                                  const std::filesystem::path& config_path);

}  // namespace skimline::skims
