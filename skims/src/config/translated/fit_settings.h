// SPDX-License-Identifier: BSD-3-Clause
// Which settings of TRExFitter become part of a config.
#pragma once

#include "config/translated/trexfitter_blocks.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Adds a sentence for each kind of block with settings that become no part of a config, and of which nothing
/// else is said.
void leave_out_settings(const std::vector<FitBlock>& blocks, std::vector<std::string>& left_out);

}  // namespace skimline::skims
