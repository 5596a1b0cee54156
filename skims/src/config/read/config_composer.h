// SPDX-License-Identifier: BSD-3-Clause
// From the files, overrides, settings and variables of a config to one.
#pragma once

#include "config/json/located_json.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// What all texts of a config say together.
struct ComposedConfig {
  JsonValue root;  ///< without "include", "override" and "variables"; paths are seen from the config's folder
  std::string resolved;  ///< the same as JSON, without "$schema", "cache" and limits of memory
  std::vector<std::string> warnings;
};

/// Reads what a config, whose text is given, includes, and applies its overrides, settings of the command
/// line ("path.to.key=value") and variables. The texts are appended to `source`, which has no parts yet.
/// Throws ConfigError if a text is no JSON; other mistakes go to `diagnostics`, of the same source.
ComposedConfig compose_config(ConfigText& source, const std::string& text,
                              const std::vector<std::string>& settings, Diagnostics& diagnostics);

}  // namespace skimline::skims
