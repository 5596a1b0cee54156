// SPDX-License-Identifier: BSD-3-Clause
// Later parts of a config over earlier ones.
#pragma once

#include "config/json/located_json.h"

namespace skimline::skims {

/// Merges an object with what is read before it, key by key. A value that is not an object may be given once,
/// but for "schema_version", on which all must agree.
void merge_into(JsonValue& merged, JsonValue object, Diagnostics& diagnostics);

}  // namespace skimline::skims
