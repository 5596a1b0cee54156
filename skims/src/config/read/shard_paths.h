// SPDX-License-Identifier: BSD-3-Clause
// Names of the outputs of one shard of a run.
#pragma once

#include "skimline/skims/config.h"

#include <string>

namespace skimline::skims {

/// Gives every output of a config with a shard a name of its own: "histograms.root" becomes
/// "histograms.shard2of8.root".
void name_outputs_of_shard(Config& config);

/// What the name of such an output was before; another name as it is.
std::string name_before_shard(const std::string& name, const Shard& shard);

}  // namespace skimline::skims
