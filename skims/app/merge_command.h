// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.h"

namespace CLI {
class App;
}

namespace skimline::skims {

/// Adds `skimline merge` to the program.
void add_merge(CLI::App& program, CommandLine& line);

/// Carries it out.
Outcome merge(const CommandLine& line, const std::atomic<bool>& stop);

}  // namespace skimline::skims
