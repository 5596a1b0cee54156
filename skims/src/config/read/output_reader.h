// SPDX-License-Identifier: BSD-3-Clause
// The "output" of a config.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

#include <filesystem>

namespace skimline::skims {

/// Reads "output" into a config; `value` is null if it is not there. Paths are relative to `folder`.
void read_output(const JsonValue* value, Config& config, const std::filesystem::path& folder,
                 Diagnostics& diagnostics);

}  // namespace skimline::skims
