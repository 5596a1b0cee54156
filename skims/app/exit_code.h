// SPDX-License-Identifier: BSD-3-Clause
// The exit codes of the program.
#pragma once

namespace skimline::skims {

/// Exit codes of the program, as `skimline --help` explains them.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kWrongUsage = 2,
  kIncomplete = 3,
  kDifferent = 4,
  kInterrupted = 130,
};

}  // namespace skimline::skims
