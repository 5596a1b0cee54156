// SPDX-License-Identifier: BSD-3-Clause
// Ending early, as the caller wants.
#pragma once

namespace skimline::skims {

/// Throws Interrupted if the calling thread is inside an Interruptible whose flag is set.
void throw_if_interrupted();

}  // namespace skimline::skims
