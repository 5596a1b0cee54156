// SPDX-License-Identifier: BSD-3-Clause
// The version of the schema that configs name.
#pragma once

#include "config/json/object_reader.h"

namespace skimline::skims {

inline constexpr const char* kSchemaVersionKey = "schema_version";
/// The only one that this program reads.
inline constexpr int kSchemaVersion = 1;

/// Adds an error unless a config names the version of this program.
void check_schema_version(const ObjectReader& config, Diagnostics& diagnostics);

}  // namespace skimline::skims
