// SPDX-License-Identifier: BSD-3-Clause
// The program by itself, without Python.
#include "program.h"

int main(int argc, char** argv) { return skimline::skims::run_program(argc, argv); }
