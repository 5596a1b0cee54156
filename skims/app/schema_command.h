// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.h"

namespace CLI {
class App;
}

namespace skimline::skims {

/// Adds `skimline schema` to the program.
void add_schema(CLI::App& program, CommandLine& line);

/// Carries it out.
Outcome schema();

}  // namespace skimline::skims
