// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands.h"

namespace skimline::skims {

/// Carries out `skimline run`.
Outcome run(const CommandLine& line, const std::atomic<bool>& stop);

}  // namespace skimline::skims
