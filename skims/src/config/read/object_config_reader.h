// SPDX-License-Identifier: BSD-3-Clause
// Collections and the objects chosen of them, as configs give them.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

#include <vector>

namespace skimline::skims {

/// Reads "collections": by name the pattern of the columns that are members, in which `*` is the member.
std::vector<Definition> read_collections(const JsonValue& value, Diagnostics& diagnostics);

/// Reads "objects".
std::vector<ObjectConfig> read_objects(const JsonValue& value, Diagnostics& diagnostics);

}  // namespace skimline::skims
