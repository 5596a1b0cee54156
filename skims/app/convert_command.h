// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.h"

namespace CLI {
class App;
}

namespace skimline::skims {

/// Adds the command to the program's.
void add_convert(CLI::App& program, CommandLine& line);

/// Carries it out. Throws Interrupted soon after `stop` is set.
Outcome convert(const CommandLine& line, const std::atomic<bool>& stop);

}  // namespace skimline::skims
