// SPDX-License-Identifier: BSD-3-Clause
// The part of a config that names models.
#pragma once

#include "config/json/located_json.h"

#include "skimline/skims/config.h"

#include <filesystem>

namespace skimline::skims {

/// Reads "models" and the files that it names, as seen from `folder`, into `config`. The resolved config gets
/// their checksums.
void read_models(const JsonValue& value, const std::filesystem::path& folder, Config& config,
                 Diagnostics& diagnostics);

}  // namespace skimline::skims
