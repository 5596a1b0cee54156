// SPDX-License-Identifier: BSD-3-Clause
// Other names for the columns of one sample.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// The aliases of a sample: those of the config, of which its own replace those with the same names, then the
/// rest of its own.
std::vector<Definition> aliases_of(const Config& config, const Sample& sample);

/// Returns the columns of a source, with their aliases. Each stands for a column or for an alias above it;
/// one that stands for nothing in any sample, or whose name is taken, is a mistake.
Schema named_columns(const io::InputSource& source, const std::vector<Definition>& aliases,
                     Diagnostics& diagnostics);

}  // namespace skimline::skims
