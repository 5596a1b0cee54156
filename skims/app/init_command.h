// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.h"

namespace CLI {
class App;
}

namespace skimline::skims {

/// Adds `skimline init` to the program.
void add_init(CLI::App& program, CommandLine& line);

/// Carries it out.
Outcome init(const CommandLine& line);

}  // namespace skimline::skims
