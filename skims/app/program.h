// SPDX-License-Identifier: BSD-3-Clause
// The program `skimline`: reads the command line, calls the library, prints what it returns.
#pragma once

#include "python_package.h"

namespace skimline::skims {

/// Runs the program and returns its exit code. Takes over the signals of the process and the log.
int run_program(int argc, char** argv, const PythonPackage& python = {});

}  // namespace skimline::skims
