// SPDX-License-Identifier: BSD-3-Clause
// Names of the outputs of one shard of a run.
#pragma once

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Gives every output of a config with a shard a name of its own: "histograms.root" becomes
/// "histograms.shard2of8.root".
void name_outputs_of_shard(Config& config);

}  // namespace skimline::skims
