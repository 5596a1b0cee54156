// SPDX-License-Identifier: BSD-3-Clause
// Functions of a config that nothing uses.
#pragma once

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Adds a warning for each function of the config that no expression calls, directly or by way of others.
/// Files that are included may have more than one config needs.
void warn_of_unused_functions(Config& config);

}  // namespace skimline::skims
