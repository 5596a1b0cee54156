// SPDX-License-Identifier: BSD-3-Clause
// From the text of a config to a Config, or all its mistakes.
#pragma once

#include "skimline/skims/config_options.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// What a config says, checked: what run_job(), plan_job() and EventReader take. Any number of threads may
/// use it at once. Its members follow the keys of configs and are not for users.
struct Config;

/// Reads and checks a config against the schema configs/schema/skimline-1.schema.json, and finds its input
/// files. Columns and expressions are not looked at. Throws ConfigError if the file cannot be read, or
/// listing every mistake with its line and column. Never null.
std::shared_ptr<const Config> read_config(const std::string& path, const ConfigOptions& options = {});

/// The same for a text that was read from `path`, or that is to be taken as if.
std::shared_ptr<const Config> parse_config(const std::string& path, const std::string& text,
                                           const ConfigOptions& options = {});

/// The samples that are to be processed, in their order.
std::vector<std::string> sample_names(const Config& config);

}  // namespace skimline::skims
