// SPDX-License-Identifier: BSD-3-Clause
// What each command of the program does.
#pragma once

#include "command_line.h"
#include "exit_code.h"

#include "skimline/skims/shown_text.h"

#include <atomic>

namespace skimline::skims {

/// What a command prints, and how it ended.
struct Outcome {
  ShownText text;
  ExitCode code = kDone;
};

/// Carries out a command. Throws what the library throws, Interrupted soon after `stop` is set.
Outcome execute(const CommandLine& line, const std::atomic<bool>& stop);

}  // namespace skimline::skims
