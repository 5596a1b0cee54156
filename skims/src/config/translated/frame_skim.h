// SPDX-License-Identifier: BSD-3-Clause
// N-tuples of FastFrames as skims.
#pragma once

#include "config/translated/config_writing.h"
#include "config/translated/frame_config.h"
#include "config/translated/frame_variations.h"

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// What a skim may take.
struct FrameSkimColumns {
  std::set<std::string> inputs;         ///< of the first file, or empty if they are not known
  std::set<std::string> others;         ///< of those of other samples, as far as they are known
  std::vector<FrameDefinition> custom;  ///< definitions that FastFrames has too
  std::vector<std::string> own;         ///< definitions that only the config has, and vectors
};

/// The skim of all samples, with the branches that regular expressions choose, and the events that are
/// selected nominally or in a systematic. Throws ConfigError for what is no regular expression.
OrderedJson frame_skim(const FrameConfig& config, const FrameSkimColumns& columns,
                       const FrameVariations& variations, FrameLeftovers& left_out);

}  // namespace skimline::skims
