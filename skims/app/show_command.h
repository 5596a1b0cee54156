// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline show`: what output files say about how they were made.
#pragma once

#include "command_line.h"
#include "commands.h"

namespace CLI {
class App;
}

namespace skimline::skims {

void add_show(CLI::App& program, CommandLine& line);

/// Shows the files that have a record. The exit code is 1 if one has none; throws Error if none has one.
Outcome show(const CommandLine& line);

}  // namespace skimline::skims
