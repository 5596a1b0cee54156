// SPDX-License-Identifier: BSD-3-Clause
// Functions of a config whose names mean values in expressions, too.
#pragma once

#include "skimline/framework/schema.h"
#include "skimline/skims/config.h"

namespace skimline::skims {

/// Adds an error for each function, correction and model of a config that is called as a definition, factor,
/// constant or object of a sample, or as one of its columns, aliases included.
void check_function_names(const Config& config, const Sample& sample, const Schema& columns,
                          Diagnostics& diagnostics);

}  // namespace skimline::skims
