// SPDX-License-Identifier: BSD-3-Clause
// From the text of a config to a Config, or all its mistakes.
#pragma once

#include "skimline/skims/config.h"

#include <string>

namespace skimline::skims {

/// Reads and checks a config against the schema configs/schema/skimline-1.schema.json, and finds its input
/// files. Columns and expressions are not looked at. Throws ConfigError if the file cannot be read, or
/// listing every mistake with its line and column.
Config read_config(const std::string& path, const ConfigOptions& options = {});

/// The same for a text that was read from `path`, or that is to be taken as if.
Config parse_config(const std::string& path, std::string text, const ConfigOptions& options = {});

}  // namespace skimline::skims
