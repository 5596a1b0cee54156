// SPDX-License-Identifier: BSD-3-Clause
// Whether outputs have different names, and none is an input.
#pragma once

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Adds an error for every output that would overwrite an input, the config or another output, and for every
/// one whose folder can neither be written into nor made.
void check_outputs(const Config& config, Diagnostics& diagnostics);

}  // namespace skimline::skims
