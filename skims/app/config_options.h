// SPDX-License-Identifier: BSD-3-Clause
// Options of commands that read a config.
#pragma once

#include "skimline/skims/config.h"

namespace CLI {
class App;
}

namespace skimline::skims {

/// Adds what every command that takes a config understands beside it: --set, --input, --samples,
/// --limit-files, --limit-events and --shard.
void add_config_options(CLI::App& command, ConfigOptions& options);

}  // namespace skimline::skims
