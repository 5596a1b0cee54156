// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.h"

namespace CLI {
class App;
}

namespace skimline::skims {

/// Adds `skimline validate` to the program.
void add_validate(CLI::App& program, CommandLine& line);

/// Carries it out.
Outcome validate(const CommandLine& line);

/// Carries out `skimline run --dry-run`: says that the config is valid, and what a run would do.
Outcome dry_run(const CommandLine& line);

}  // namespace skimline::skims
