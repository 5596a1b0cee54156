// SPDX-License-Identifier: BSD-3-Clause
// The variations of a config, and sums over them.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Reads "variations". After "weights".
void read_variations(const JsonValue& value, Config& config, Diagnostics& diagnostics);

/// Reads "sums". Those without all of their samples among the ones to process are left out, with a warning.
/// After the samples.
void read_sums(const JsonValue& value, Config& config, Diagnostics& diagnostics);

}  // namespace skimline::skims
