// SPDX-License-Identifier: BSD-3-Clause
// Ending early, as the caller wants.
#pragma once

#include "skimline/framework/stop_flag.h"

namespace skimline::skims {

/// Throws Interrupted if the calling thread is inside an Interruptible whose flag is set.
void throw_if_interrupted();

/// The flag that throw_if_interrupted() looks at.
StopFlag current_stop();

}  // namespace skimline::skims
