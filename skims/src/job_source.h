// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Opens the files of a config's sample. Throws FileError, and SchemaError where the defaults of columns do
/// not fit the files.
io::RNTupleSource open_source(const Config& config);

/// Warns of defaults of columns that no file has, which may be mistyped.
std::vector<std::string> warnings_of_defaults(const Config& config, const io::RNTupleSource& source);

}  // namespace skimline::skims
