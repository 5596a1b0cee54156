// SPDX-License-Identifier: BSD-3-Clause
// Configs of TRExFitter that read n-tuples, as configs that fill the same histograms.
#pragma once

#include "config/translated/config_writing.h"
#include "config/translated/trexfitter_blocks.h"

#include <filesystem>
#include <string>
#include <vector>

namespace skimline::skims {

/// Makes a config, for the file `config_path`, with the samples, regions and weights of such blocks, and the
/// systematics that weights or other files are of. Throws ConfigError if they do not read n-tuples, or read
/// other ones for each region.
TranslatedConfig config_of_fit(std::vector<FitBlock> blocks, const std::string& origin,
                               const std::filesystem::path& config_path);

}  // namespace skimline::skims
