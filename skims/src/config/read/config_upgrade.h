// SPDX-License-Identifier: BSD-3-Clause
// From a config of an older schema version to one of the newest.
#pragma once

#include "skimline/skims/diagnostics.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// A piece of a config's text, and what is to stand there.
struct ConfigChange {
  Location location;
  std::string text;
  std::string reason;
};

/// A config in its own words, comments and blanks but for what had to change.
struct UpgradedConfig {
  std::string text;
  std::vector<ConfigChange> changes;  ///< places are those of the text as it was
};

/// Upgrades the text of a config that was read from `path`. What it includes is checked with it, and not
/// changed. Input files are not looked for. Throws ConfigError with all that is unknown in it or wrong.
UpgradedConfig upgrade_config(const std::string& path, const std::string& text);

}  // namespace skimline::skims
