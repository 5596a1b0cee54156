// SPDX-License-Identifier: BSD-3-Clause
// The command line, taken apart.
#pragma once

#include "command.h"
#include "log.h"
#include "program_text.h"

#include <memory>
#include <optional>

namespace skimline::skims {

/// What to do, or the exit code if there is nothing to do: help and version were printed, or a mistake was
/// explained.
struct CommandLine {
  std::shared_ptr<const CLI::App> program;
  LogOptions log;
  const Command* command = nullptr;
  Action action;
  std::optional<int> exit_code;
};

/// What the program and all of its commands take.
ProgramText program_text();

/// Parses into a line that stays where it is: options write into it.
void parse(CommandLine& line, int argc, char** argv);

}  // namespace skimline::skims
